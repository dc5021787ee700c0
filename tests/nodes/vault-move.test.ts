// @module-tag night
// Long because it lists what a move must keep.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'
import { operatorHere } from '../../harness/operator.ts'
import { startCommand } from '../../harness/service-process.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { openVault } from '../../infrastructure/people/vault.ts'
import { readSettings } from '../../infrastructure/settings.ts'
import { isOurs } from '../../infrastructure/stores.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { newcomerAt, now } from '../people/newcomer.ts'

const [phone, gone, pin] = ['4748812345', '4748812346', '8642']

let place: Awaited<ReturnType<typeof startProtocolPlace>>
let folder: string
let file: string
let settings: Readonly<Record<string, string>>
let nodes: Service[]

beforeEach(async () => {
  place = await startProtocolPlace()
  folder = mkdtempSync(join(tmpdir(), 'daybook-move-'))
  const VAULT_KEY_FILE = join(folder, 'vault-key')
  writeFileSync(VAULT_KEY_FILE, randomBytes(32).toString('base64'))
  file = join(folder, 'vault.sqlite')
  const quiet = { LOG_LEVEL: 'fatal', AUDIT_EVERY_MINUTES: '0' }
  settings = { EVENT_STORE: place.url, VAULT_KEY_FILE, ...quiet }
  nodes = []
  return async () => {
    for (const { stop } of nodes) await stop()
    await place.remove()
    rmSync(folder, { recursive: true })
  }
})

const start = async (vault: string, given = settings): Promise<Service> => {
  const node = await startService({ ...given, VAULT: vault })
  nodes.push(node)
  return node
}

const stopAll = async (): Promise<void> => {
  for (const { stop } of nodes.splice(0)) await stop()
}

const daybook = async (...words: readonly string[]) => {
  const operator = operatorHere(readSettings({ ...settings, DATA_DIR: folder }))
  const { code, output, errors } = await operator('--json', ...words)
  return { code, errors, told: JSON.parse(output || 'null') }
}

const move = (from: string, to: string) => daybook('vault', 'move', '--from', from, '--to', to)

const profile = async (node: Service, token: string) => {
  const headers = { Authorization: `Bearer ${token}` }
  const { status, body } = await node.call('GET', '/payer/v1/profile/', { headers })
  return status === 200 ? (body as { readonly phone: string }).phone : status
}

const signIn = async (node: Service, who: { readonly phone: string; readonly secret: string }) =>
  node.call('POST', '/payer/v1/session/', {
    body: { phone: who.phone.replace('+', ''), pin, code: now(who.secret) },
  })

/** A DPoP proof that can be used once within an hour. */
const isFirst = ({ core }: Service): Promise<boolean> =>
  core.used.isFirst('a proof', Date.now(), Date.now() + 3_600_000)

const erase = (
  { settings: { VAULT }, folder: DATA_DIR }: Service,
  number: string,
  given = settings,
) =>
  operatorHere(readSettings({ ...given, VAULT: VAULT ?? '', DATA_DIR }))('payer', 'erase', number)

/** A plain vault in use, with a person who stays and one whom the operator erased. */
const furnished = async () => {
  const { VAULT_KEY_FILE: _, ...keyless } = settings
  const node = await start(file, keyless)
  const stays = await newcomerAt(node, `+${phone}`, pin)
  const leaves = await newcomerAt(node, `+${gone}`, pin)
  const session = await signIn(node, stays)
  expect(await isFirst(node)).toBe(true)
  await erase(node, gone, keyless)
  return { node, stays, leaves, token: String(session.body.token) }
}

describe('a vault that is moved', () => {
  test('into streams and back, people, sessions and erasures are as before', async () => {
    const { stays, leaves, token } = await furnished()
    await stopAll()
    const back = join(folder, 'back', 'vault.sqlite')
    let made: Buffer | undefined
    for (const [from, to] of [
      [file, 'streams'],
      ['streams', back],
      [back, 'streams'],
    ] as const) {
      const moved = await move(from, to)
      expect(moved).toMatchObject({
        ...{ code: 0, errors: expect.any(String) },
        told: { from, to, already_moved: false, next: expect.stringContaining(`VAULT=${to}`) },
      })
      // The contents left in streams are the same.
      expect(moved.told.copied).toBe(from === back ? 0 : moved.told.people)
      const node = await start(to)
      expect(await profile(node, token)).toBe(phone)
      expect((await signIn(node, leaves)).status).toBe(401)
      expect(await isFirst(node)).toBe(false)
      // Created where it was first needed: in streams, derived.
      const secret = node.core.vault.secret('asked for later')
      expect(secret).toEqual((made ??= secret))
      expect(node.core.vault.findPerson(`+${gone}`)).toBeUndefined()
      expect(node.core.vault.findPerson(gone)).toBeUndefined()
      await expect(start(from)).rejects.toThrow('has been moved elsewhere')
      await stopAll()
      expect(await move(from, to)).toMatchObject({ code: 0, told: { already_moved: true } })
    }
    const discarded = await daybook('vault', 'discard', 'streams')
    expect(discarded.errors).toContain('has not been moved elsewhere: it is not thrown away')
    expect(await daybook('vault', 'discard', back)).toMatchObject({ told: { discarded: back } })
    expect(existsSync(back)).toBe(false)
    expect((await signIn(await start('streams'), stays)).status).toBe(201)
  })

  test('out of streams and discarded there, nothing of it can be read any more', async () => {
    const { token } = await furnished()
    await stopAll()
    const back = join(folder, 'back.sqlite')
    await move(file, 'streams')
    await move('streams', back)
    expect(await daybook('vault', 'discard', 'streams')).toMatchObject({ code: 0 })
    await expect(start('streams')).rejects.toThrow('is missing: it should be the vault')
    expect(await move(back, 'streams')).toMatchObject({ code: 0, told: { erased: 0 } })
    expect(await profile(await start('streams'), token)).toBe(phone)
  })

  test('takes along what was done elsewhere since it was there before', async () => {
    const { stays } = await furnished()
    await stopAll()
    await move(file, 'streams')
    const node = await start('streams')
    const number = '4748812399'
    const { vault } = node.core
    const person = await vault.personFor('somebody new')
    const sealed = vault.seal(person, 'a text')
    const known = vault.findPerson(phone) ?? ''
    expect(vault.hasPerson(known)).toBe(true)
    await erase(node, phone, settings)
    await vault.rename(person, number)
    await stopAll()
    expect(await move('streams', file)).toMatchObject({
      told: { copied: 1, erased: 1 },
    })
    const after = await start(file)
    expect(after.core.vault.findPerson(number)).toBe(person)
    expect(after.core.vault.unseal(person, sealed)).toBe('a text')
    expect(after.core.vault.hasPerson(known)).toBe(false)
    expect((await signIn(after, stays)).status).toBe(401)
  })

  test('stays where it is while a service runs, or is not the vault of this log', async () => {
    const { token, node } = await furnished()
    expect(await move(file, 'streams')).toMatchObject({
      ...{ code: 1, told: null },
      errors: expect.stringContaining('1 services run on this log: stop them first'),
    })
    expect(await profile(node, token)).toBe(phone)
    await stopAll()
    const other = join(folder, 'other.sqlite')
    await openVault(other).close()
    const log = join(folder, 'events.sqlite')
    await openEventLog(log).close()
    const { errors } = await daybook('vault', 'discard', log)
    expect([errors, existsSync(log)]).toEqual([expect.stringContaining('is not the file'), true])
    for (const [from, to, problem] of [
      [other, 'streams', 'is not the vault that this log is sealed with'],
      [join(folder, 'none.sqlite'), 'streams', 'there is no vault at'],
      ['streams', file, 'there is no vault at'],
      [file, other, 'the other one is: streams'],
      [log, 'streams', 'is not the file of a vault'],
    ] as const)
      expect(await move(from, to)).toMatchObject({
        code: 1,
        errors: expect.stringContaining(problem),
      })
    expect(await profile(await start(file), token)).toBe(phone)
  })

  test('a service whose vault has moved accepts and shows nobody', async () => {
    await furnished()
    await stopAll()
    const unseen = openVault(file, undefined, [])
    const person = await unseen.personFor('somebody')
    await move(file, 'streams')
    expect(() => unseen.hasPerson(person)).toThrow('the vault is moved elsewhere')
    await expect(unseen.personFor('somebody new')).rejects.toThrow('the vault is moved elsewhere')
    await expect(unseen.shred(person)).rejects.toThrow('the vault is moved elsewhere')
    await unseen.close()
  })

  test('continues after a kill, and serves nobody before it is complete', async () => {
    const { token } = await furnished()
    await stopAll()
    const vault = openVault(file)
    const names = Array.from({ length: 1_200 }, (_, n) => `customer ${n}`)
    const people = await Promise.all(names.map((name) => vault.nameFor('shop', name)))
    await vault.close()

    const words = ['vault', 'move', '--from', file, '--to', 'streams']
    const child = startCommand(words, { ...settings, DATA_DIR: folder }, 'pipe')
    const { streams, close } = connectEventStoreDB(place.url, { isOurs })
    const journal = () => streams.readStream('daybook_vault-journal')
    while ((await journal()).length < 300);
    child.kill('SIGKILL')
    await once(child, 'exit')
    await close()
    await expect(start(file)).rejects.toThrow('was being moved: run `daybook vault move` again')
    await expect(start('streams')).rejects.toThrow('does not hold all people yet')
    expect(await move('streams', file)).toMatchObject({
      ...{ code: 1, errors: expect.stringContaining('does not hold all people yet') },
    })

    const { told } = await move(file, 'streams')
    expect(told).toMatchObject({ already_moved: false, erased: 0 })
    expect(told.people).toBeGreaterThan(1_200)
    expect(told.copied).toBeLessThan(told.people)
    const node = await start('streams')
    expect(names.map((name) => node.core.vault.findNamed('shop', name))).toEqual(people)
    expect(await profile(node, token)).toBe(phone)
  })
})
