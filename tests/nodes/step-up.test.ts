import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startService, type Service } from '../support/http-service.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { startProtocolPlace } from '../event-store/protocol-place.ts'
import { newcomerAt, now } from '../people/newcomer.ts'

/** Two nodes with separate folders, which require a code above 1,000 kroner. */
const startNodes = async (kind: 'file' | 'streams') => {
  const place = await startProtocolPlace()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-step-up-'))
  const VAULT_KEY_FILE = join(folder, 'vault-key')
  writeFileSync(VAULT_KEY_FILE, randomBytes(32).toString('base64'))
  const VAULT = kind === 'streams' ? kind : join(folder, 'vault.sqlite')
  const places = { EVENT_STORE: place.url, VAULT, VAULT_KEY_FILE, BLOBS: join(folder, 'blobs') }
  const settings = { ...places, LOG_LEVEL: 'error', AUDIT_EVERY_MINUTES: '0' }
  const start = () => startService({ ...settings, STEP_UP_AMOUNT: 'NOK 1000' })
  const nodes: readonly [Service, Service] = [await start(), await start()]
  onTestFinished(async () => {
    for (const { stop } of nodes) await stop()
    await place.remove()
    rmSync(folder, { recursive: true })
  })
  return nodes
}

/** A new payer who has signed in. */
const payerAt = async (node: Service, phone: string) => {
  const pin = '8642'
  const { secret } = await newcomerAt(node, `+${phone}`, pin)
  const body = { phone, pin, code: now(secret) }
  const { token } = (await node.call('POST', '/payer/v1/session/', { body })).body
  const headers = { Authorization: `Bearer ${token}` }
  const requested = async (amount: string): Promise<string> => {
    const input = paymentInput({ customer: phone, amount })
    return (await node.pos1('POST', '/merchant/v1/payment_request/', input)).body.id
  }
  const accept = async (at: Service, tid: string, code?: string): Promise<number> => {
    const path = `/payer/v1/payment_request/${tid}/accept/`
    return (await at.call('POST', path, { headers, body: { code } })).status
  }
  return { requested, accept, code: () => now(secret) }
}

test.each(['file', 'streams'] as const)(
  'what a payer accepts on two nodes in the same instant counts together: vault in %s',
  async (kind) => {
    const [one, other] = await startNodes(kind)
    for (let turn = 0; turn < 3; turn += 1) {
      const payer = await payerAt(one, `474881300${turn}`)
      const [first, second] = [await payer.requested('600.00'), await payer.requested('600.00')]
      const sent = [payer.accept(one, first), payer.accept(other, second)]
      expect((await Promise.all(sent)).toSorted()).toEqual([204, 400])
      // A sum below the threshold needs no code, on both at once.
      const small = [await payer.requested('100.00'), await payer.requested('100.00')] as const
      const both = [payer.accept(one, small[0]), payer.accept(other, small[1])]
      expect(await Promise.all(both)).toEqual([204, 204])
      // The same acceptance twice is accepted once, with two responses.
      const again = await payer.requested('100.00')
      const twice = [payer.accept(one, again), payer.accept(other, again)]
      expect(await Promise.all(twice)).toEqual([204, 204])
      const left = await payer.requested('600.00')
      expect(await payer.accept(other, left)).toBe(400)
      expect(await payer.accept(other, left, payer.code())).toBe(204)
    }
  },
)
