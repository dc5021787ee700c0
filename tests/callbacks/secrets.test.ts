// @module-tag long
import { rmSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCallbackService, type CallbackService } from '../support/callback-service.ts'
import { advance, authorize } from '../support/shop-process.ts'

let service: CallbackService
beforeAll(async () => {
  service = await startCallbackService()
})
afterAll(async () => {
  await service.stop()
  rmSync(service.folder, { recursive: true })
})

const path = '/merchant/v1/callback_secret/'

/** The only message that a new payment sends. */
const received = async () => {
  const receiver = await service.receive()
  await authorize(service, { callback_uri: receiver.url('/hook') })
  await advance(service.world, 0)
  const [arrival] = receiver.arrivals
  return arrival!
}

const signaturesIn = (header: string | undefined): string[] =>
  (header ?? '').split(' ').map((signature) => signature.split(',')[0] ?? '')

test('the secret of the merchant verifies a message in standardwebhooks and svix', async () => {
  const { body } = await service.owner('GET', path)
  expect(body).toEqual({ secret: expect.stringMatching(/^whsec_.{44}$/), earlier: [] })
  const arrival = await received()
  expect(arrival.problems).toEqual([])
  expect(signaturesIn(arrival.headers['webhook-signature'])).toEqual(['v1', 'v1a'])
  for (const webhook of [new Webhook(body.secret), new SvixWebhook(body.secret)]) {
    expect(webhook.verify(arrival.body, arrival.headers)).toMatchObject({ meta: arrival.meta })
    const changed = arrival.body.replace('"seqno":1', '"seqno":2')
    expect(() => webhook.verify(changed, arrival.headers)).toThrow(/No matching signature/)
  }
})

test('a test event is signed with the secret of the merchant that it is sent for', async () => {
  const receiver = await service.receive()
  const callback_uri = receiver.url('/')
  await service.world('POST', '/sandbox/v1/callback/', { callback_uri })
  await advance(service.world, 0)
  const { secret } = (await service.owner('GET', path)).body
  const [arrival] = receiver.arrivals
  expect(new Webhook(secret).verify(arrival!.body, arrival!.headers)).toBeTruthy()
  expect(
    await service.world('POST', '/sandbox/v1/callback/', { callback_uri, merchant: 'nobody' }),
  ).toMatchObject({ status: 400 })
})

test('a replaced secret also signs for 24 hours', async () => {
  const before = (await service.owner('GET', path)).body
  const rotated = await service.owner('POST', path)
  expect(rotated).toMatchObject({ status: 200, body: { earlier: [{ secret: before.secret }] } })
  const { secret } = rotated.body
  expect(secret).not.toBe(before.secret)
  const during = await received()
  expect(signaturesIn(during.headers['webhook-signature'])).toEqual(['v1', 'v1', 'v1a'])
  for (const one of [secret, before.secret])
    expect(new Webhook(one).verify(during.body, during.headers)).toBeTruthy()
  await advance(service.world, 86_400)
  const after = await received()
  expect(new Webhook(secret).verify(after.body, after.headers)).toBeTruthy()
  expect(() => new Webhook(before.secret).verify(after.body, after.headers)).toThrow()
  expect((await service.owner('GET', path)).body).toEqual({ secret, earlier: [] })
})

test('the secret of a merchant is shown to its owner and to the operator only', async () => {
  expect(await service.till('GET', path)).toMatchObject({ status: 401 })
  expect(await service.till('POST', path)).toMatchObject({ status: 401 })
  const { secret } = (await service.owner('GET', path)).body
  expect(await service.operator('merchant', 'callback-secret', 'sandbox')).toMatchObject({ secret })
  const words = ['merchant', 'callback-secret', 'sandbox', '--rotate']
  const rotated = await service.operator(...words)
  expect(rotated.earlier).toMatchObject([{ secret }])
  expect((await service.owner('GET', path)).body.secret).toBe(rotated.secret)
  await service.operator('merchant', 'add', 'pier', '--name', 'Pier', '--currency', 'NOK')
  const other = await service.operator('merchant', 'callback-secret', 'pier')
  expect(other.secret).not.toBe(rotated.secret)
  await expect(service.operator('merchant', 'callback-secret', 'nobody')).rejects.toThrow(
    /no merchant nobody/,
  )
})

test('however often it is replaced within a day, each secret signs for 24 hours', async () => {
  await service.world('POST', '/sandbox/v1/clock/', { advance_seconds: 86_401 })
  const { secret: first } = (await service.owner('GET', path)).body
  for (let times = 0; times < 5; times += 1) await service.owner('POST', `${path}?time=${times}`)
  const { earlier } = (await service.owner('GET', path)).body
  expect(earlier).toHaveLength(5)
  expect(earlier.at(-1).secret).toBe(first)
  const arrival = await received()
  expect(new Webhook(first).verify(arrival.body, arrival.headers)).toBeTruthy()
  await service.world('POST', '/sandbox/v1/clock/', { advance_seconds: 86_401 })
  expect((await service.owner('GET', path)).body.earlier).toEqual([])
  const late = await received()
  expect(() => new Webhook(first).verify(late.body, late.headers)).toThrow(/No matching signature/)
})
