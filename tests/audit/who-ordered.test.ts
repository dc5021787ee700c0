import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readLog } from '../support/event-log.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { fingerprintOf } from '../../infrastructure/keys/keys.ts'
import { sealAddresses } from '../../infrastructure/people/sealing.ts'
import { pathOf, startAuditedService, type AuditedService } from './audited-service.ts'

let service: AuditedService

beforeAll(async () => {
  service = await startAuditedService()
})

afterAll(() => service.remove())

const part = { amount: '12.50', currency: 'NOK', refund_id: 'r1', text: 'broken cup' }

const proofOf = async (name: string, ...more: string[]) => {
  const { output, code } = await service.run('--json', 'audit', 'proof-of-order', name, ...more)
  return { code, proof: JSON.parse(output) }
}

const appended = async (
  ...given: { type: string; stream: string; metadata: object; data: object }[]
) => {
  const store = openSqliteEventStore(join(service.folder, 'events.sqlite'))
  for (const { stream, type, data, metadata } of given) {
    const revision = (await store.readStream(stream)).length - 1
    const id = crypto.randomUUID()
    await store.append(
      stream,
      [{ id, type, data: { ...data }, metadata: { ...metadata } }],
      revision,
    )
  }
  await store.close()
}

test('given a signed refund, then its event keeps what proves it', async () => {
  const { tid, event } = await service.refund(part)
  const url = service.address + pathOf(tid)
  const { signed, from } = event.metadata
  expect(signed).toMatchObject({
    key: expect.stringMatching(/^SHA256=/),
    text: expect.stringContaining(`PUT|${url}|X-SERVICE-CONTENT-DIGEST=SHA256=`),
    signature: expect.stringMatching(/^[A-Za-z0-9+/=]{344}$/),
    body: JSON.stringify({ action: 'refund', ...part }),
  })
  expect(signed?.text).toMatch(
    /&X-SERVICE-TIMESTAMP=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d&X-SERVICE-USER=admin$/,
  )
  expect(from).toBeUndefined()

  const byPosition = await proofOf(String(event.position))
  expect(byPosition).toMatchObject({
    code: 0,
    proof: {
      holds: true,
      verdict: expect.stringMatching(
        /^proved: user:admin of sandbox ordered PaymentRefunded; only/,
      ),
      order: { method: 'PUT', url, actor: 'user:admin', public_key: expect.any(String) },
    },
  })
  for (const name of [event.id, `${event.stream}@${event.revision}`])
    expect(await proofOf(name)).toEqual(byPosition)
  const { output } = await service.run('audit', 'proof-of-order', String(event.position))
  expect(output).toMatch(
    /^event \d+: PaymentRefunded, revision 3 of payment-.*\nholds: the key SHA256=/,
  )
})

test('given a key that was replaced since, then the one of that day is asked', async () => {
  const { event } = await service.refund({})
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pubkey = keys.publicKey.export({ type: 'spki', format: 'pem' })
  const user = { id: 'second', roles: ['superuser'], pubkey }
  expect((await service.owner('POST', '/merchant/v1/user/', user)).status).toBe(201)
  const second = service.clientOf({ merchant: 'sandbox', user: 'second', key: keys.privateKey })
  const tid = await service.authorize()
  expect((await second('PUT', pathOf(tid), { action: 'capture' })).status).toBe(204)
  const captured = await service.newest('PaymentCaptured')
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  const change = { roles: ['user'], pubkey: other.export({ type: 'spki', format: 'pem' }) }
  expect((await service.owner('PUT', '/merchant/v1/user/second/', change)).status).toBe(204)
  expect((await proofOf(String(captured.position))).proof).toMatchObject({
    holds: true,
    order: { key: fingerprintOf(String(pubkey)), public_key: pubkey },
  })
  expect((await proofOf(String(event.position))).proof.holds).toBe(true)
  // The old key proves nothing signed from now on.
  await appended({ ...captured, metadata: captured.metadata, data: captured.data })
  const { code, proof } = await proofOf(`${captured.stream}@${captured.revision + 1}`)
  expect([code, proof.holds]).toEqual([1, false])
  expect(proof.checks[0].says).toMatch(
    /is not the one of user:second at that time, which was SHA256=/,
  )
})

test.each([
  ['its amount', { data: { amount: 5000 } }, /amount 12.50, not 50.00/],
  ['its id', { data: { refundId: 'r2' } }, /refund_id r1, not r2/],
  ['who ordered it', { actor: 'user:second' }, /had no key|is not the one|the event says/],
  ['the merchant', { merchant: 'other' }, /had no key/],
  ['the body', { signed: { body: '{"action":"refund"}' } }, /not the one whose digest/],
  ['the signature', { signed: { signature: 'A'.repeat(344) } }, /signature is not/],
  ['the text', { signed: { text: 'PUT|x' } }, /not the text of a request/],
])('given an event of which %s was changed, then it is not proved', async (_, change, says) => {
  const { event } = await service.refund(part)
  const { data = {}, signed = {}, ...who } = change as Record<string, object>
  const metadata = { ...event.metadata, ...who, signed: { ...event.metadata.signed, ...signed } }
  await appended({ ...event, data: { ...event.data, ...data }, metadata })
  const { code, proof } = await proofOf(`${event.stream}@${event.revision + 1}`)
  expect([code, proof.holds]).toEqual([1, false])
  expect(JSON.stringify(proof.checks)).toMatch(says)
})

test('given a body with other members, then only its digest is kept, and it proves', async () => {
  const body = { action: 'refund', ...part, note: 'of Ola Nordmann' }
  const { event } = await service.refund(body)
  expect(event.metadata.signed).not.toHaveProperty('body')
  expect(await proofOf(String(event.position))).toMatchObject({
    code: 1,
    proof: { holds: false, verdict: /^proved in part/ as never },
  } as never)
  const file = join(service.folder, 'body.json')
  writeFileSync(file, JSON.stringify(body))
  expect((await proofOf(String(event.position), '--body', file)).proof.holds).toBe(true)
})

test('given a request with a secret, then its event keeps the address, sealed', async () => {
  await service.capture()
  const { metadata, position } = await service.newest('PaymentCaptured')
  expect(metadata).toMatchObject({ actor: 'user:pos1', from: expect.any(String) })
  expect(metadata.signed).toBeUndefined()
  expect(JSON.stringify(metadata)).not.toContain('127.0.0.1')
  const { openAddress } = sealAddresses(service.core.vault)
  expect(openAddress(metadata.from ?? '')).toBe('127.0.0.1')
  expect(await proofOf(String(position))).toMatchObject({
    code: 1,
    proof: { verdict: 'no proof: user:pos1 gave a secret, which proves nothing to others' },
  })
})

test('given a secret in a signed request, then no event keeps its body', async () => {
  const user = { id: 'cashier', roles: ['user'], secret: 'a secret of a cashier' }
  expect((await service.owner('POST', '/merchant/v1/user/', user)).status).toBe(201)
  const { metadata } = await service.newest('UserRegistered')
  expect(metadata.signed?.text).toMatch(/^POST\|/)
  expect(JSON.stringify(await readLog(service.folder))).not.toContain('a secret of a cashier')
})
