import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { authorizedPayment, startService, type Service } from '../support/http-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { withVaultBeside } from '../../infrastructure/vault-streams/vault.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { newcomerAt, now } from '../people/newcomer.ts'

const phone = '4748812345'

const pin = '8642'

let place: Awaited<ReturnType<typeof startProtocolPlace>>

let settings: Readonly<Record<string, string>>

let nodes: Service[]

beforeEach(async () => {
  place = await startProtocolPlace()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-key-'))
  const VAULT_KEY_FILE = join(folder, 'vault-key')
  writeFileSync(VAULT_KEY_FILE, randomBytes(32).toString('base64'))
  const places = { EVENT_STORE: place.url, VAULT: 'streams', VAULT_KEY_FILE }
  settings = { ...places, LOG_LEVEL: 'error', AUDIT_EVERY_MINUTES: '0' }
  nodes = []
  return async () => {
    for (const { stop } of nodes) await stop()
    await place.remove()
    rmSync(folder, { recursive: true })
  }
})

const start = async (): Promise<Service> => {
  const node = await startService(settings)
  nodes.push(node)
  return node
}

const signIn = async (node: Service, secret: string) =>
  node.call('POST', '/payer/v1/session/', { body: { phone, pin, code: now(secret) } })

const profile = (node: Service, token: string) =>
  node.call('GET', '/payer/v1/profile/', { headers: { Authorization: `Bearer ${token}` } })

describe('given two nodes with folders of their own and no file of a vault', () => {
  test('when somebody registers on one, the other knows them until they are erased', async () => {
    const [one, other] = [await start(), await start()]
    const { secret } = await newcomerAt(one, `+${phone}`, pin)
    const session = await signIn(other, secret)
    expect(session.status).toBe(201)
    const { body } = await profile(other, session.body.token)
    expect(body).toMatchObject({ name: 'Ny Kunde', phone })

    const requested = '/merchant/v1/payment_request/'
    const input = paymentInput({ customer: phone })
    const { body: payment } = await other.pos1('POST', requested, input)
    const outcome = `${requested}${payment.id}/outcome/`
    const accept = `/sandbox/v1/payment_request/${payment.id}/accept/`
    expect((await one.call('POST', accept)).status).toBe(204)
    for (const node of nodes)
      expect((await node.pos1('GET', outcome)).body).toMatchObject({ customer: phone })

    const erased = await operatorHere(one.settings)('--json', 'payer', 'erase', phone)
    expect(JSON.parse(erased.output)).toEqual({ erased: true })
    for (const node of [other, one, await start()]) {
      expect((await node.pos1('GET', outcome)).body).toMatchObject({ customer: null })
      expect((await profile(node, session.body.token)).status).toBe(401)
      expect((await signIn(node, secret)).status).toBe(401)
      expect(existsSync(join(node.folder, 'vault.sqlite'))).toBe(false)
    }
    expect(nodes.flatMap(({ logged }) => logged)).toEqual([])
  })

  test('when both name the same customers at once, then each is one person', async () => {
    const [one, other] = [await start(), await start()]
    const named = (node: Service, n: number) =>
      node.pos1(
        'POST',
        '/merchant/v1/payment_request/',
        paymentInput({
          pos_tid: `tid-${nodes.indexOf(node)}-${n}`,
          customer: `474881${1_000 + (n % 5)}`,
        }),
      )
    const asked = Array.from({ length: 20 }, (_, n) => named(n % 2 === 0 ? one : other, n >> 1))
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(20).fill(201))
    const names = new Set<unknown>()
    for await (const events of one.core.store.readAll(0))
      for (const { type, data } of events)
        if (type === 'PaymentRequested')
          names.add(String((data['request'] as { customer: string }).customer).split(':')[1])
    expect(names.size).toBe(5)
  })
})

test('a vault of another log is reported, and so is one that needs a key', async () => {
  await (await start()).stop(false)
  const elsewhere = startService({ EVENT_STORE: place.url, LOG_LEVEL: 'fatal' })
  await expect(elsewhere).rejects.toThrow('is missing: it should be the vault that this log')
  const { VAULT_KEY_FILE: _, ...keyless } = settings
  await expect(startService(keyless)).rejects.toThrow('needs VAULT_KEY_FILE or VAULT_KEY_COMMAND')
  const embedded = { ...settings, EVENT_STORE: 'sqlite' }
  await expect(startService(embedded)).rejects.toThrow('needs EVENT_STORE with an esdb://')
  const node = await start()
  const payment = await authorizedPayment(node)
  expect((await node.pos1('GET', `${payment}outcome/`)).status).toBe(200)
})

test('a command that only reads the log leaves no file of the vault behind', async () => {
  const node = await start()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-reader-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const kept = () => readdirSync(node.folder).filter((name) => name.startsWith('vault-known-'))
  const files = kept()
  expect(files).not.toEqual([])
  for (const DATA_DIR of [folder, node.folder, join(folder, 'none')])
    expect(
      await withVaultBeside({ ...node.settings, DATA_DIR }, async (vault) => vault?.name),
    ).toBe(node.core.vault.name)
  expect([readdirSync(folder), kept()]).toEqual([[], files])
})

test('a backup and a copy say that the vault is in the database, and stays there', async () => {
  const node = await start()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-copied-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const operator = operatorHere(node.settings)
  const backup = await operator('backup', join(folder, 'backup'))
  expect(backup.errors).toContain('the log and the vault are in EventStoreDB: back them up there')
  const where = ['--from', place.url, '--to', `sqlite:${join(folder, 'copy')}`]
  const copied = JSON.parse((await operator('--json', 'copy', ...where)).output)
  const vault = expect.stringContaining('not copied: it lies in streams of --from')
  expect(copied).toMatchObject({ already_there: 0, vault })
  const shown = await operator('--json', 'status')
  expect(JSON.parse(shown.output)).toMatchObject({
    vault_wrapped_by: node.core.vault.wrappedBy(),
  })
})
