import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NoAnswer, TooManyRequests, Unavailable, type Client } from '../../client/index.ts'
import { allOf, input } from './shop.ts'
import { startTroubledShop, type TroubledShop } from './troubled-shop.ts'

let shop: TroubledShop
beforeAll(async () => void (shop = await startTroubledShop()))
afterAll(() => shop.stop())

const authorized = async (till: Client): Promise<string> => {
  const { id } = await till.createPaymentRequest(input())
  await till.acceptSandboxPaymentRequest(id)
  return id
}

describe('when an answer is lost', () => {
  test('then a payment is requested once', async () => {
    const { till, meeting } = shop
    const passed = meeting('the answer is lost', 'the answer is lost')
    const wish = input({ pos_tid: randomUUID() })
    const { id } = await till.createPaymentRequest(wish)
    expect(passed.map(({ name }) => name)).toEqual(
      Array(3).fill('POST /merchant/v1/payment_request/'),
    )
    expect(await till.createPaymentRequest(wish)).toEqual({ id, uri: null })
  })

  test('then a part is captured once', async () => {
    const { till, meeting } = shop
    const id = await authorized(till)
    meeting('the answer is lost', { status: 502 })
    const part = { capture_id: 'a', amount: '40.00', currency: 'NOK' }
    await till.updatePaymentRequest(id, { action: 'capture', ...part })
    expect(await till.getPaymentRequestOutcome(id)).toMatchObject({
      auth_amount: '60.00',
      captures: [{ id: 'a', amount: '40.00' }],
    })
  })

  test('then a signed request is sent with the same signature, so it counts once', async () => {
    const { owner, meeting } = shop
    const later = { status: 503, headers: { 'Retry-After': '2' } }
    const passed = meeting('the answer is lost', later)
    const made = await owner.createCallbackSecret()
    expect(passed).toHaveLength(3)
    expect(new Set(passed.map(({ headers }) => headers.authorization)).size).toBe(1)
    expect(made.earlier).toHaveLength(1)
    await owner.createUser({ id: 'till-9', secret: 'a long secret' })
    shop.proxy.trouble('the answer is lost')
    await owner.deleteUser('till-9')
  })

  test('then a ledger without an id gets one, and is made once', async () => {
    const { till, meeting } = shop
    const before = await allOf(till.listLedgers())
    meeting('the answer is lost')
    const { id } = await till.createLedger({ currency: 'NOK' })
    const after = await allOf(till.listLedgers())
    expect(after).toHaveLength(before.length + 1)
    expect(after[0]).toMatchObject({ id, currency: 'NOK' })
  })

  test('then what was deleted counts as deleted', async () => {
    const { till, meeting } = shop
    const { id } = await till.createShortlink()
    meeting('the answer is lost')
    await till.deleteShortlink(id)
    await expect(till.deleteShortlink(id)).rejects.toMatchObject({ status: 404 })
  })

  test('then a request that would create something twice is not retried', async () => {
    const { till, meeting } = shop
    const before = await allOf(till.listShortlinks())
    const passed = meeting('the answer is lost')
    await expect(till.createShortlink()).rejects.toThrow(NoAnswer)
    expect(passed).toHaveLength(1)
    expect(await allOf(till.listShortlinks())).toHaveLength(before.length + 1)
  })
})

describe('when the service asks for patience', () => {
  test.each([429, 503])('then %i waits for Retry-After, and a little longer', async (status) => {
    shop.meeting({ status, headers: { 'Retry-After': '7' } })
    await shop.till.getPos('till-1')
    expect(shop.pauses).toEqual([7_000 + 188])
  })

  test('then a date says as much', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    shop.meeting({ status: 503, headers: { 'Retry-After': inAMinute } })
    await shop.till.getPos('till-1')
    expect(shop.pauses[0]).toBeGreaterThan(58_000)
    expect(shop.pauses[0]).toBeLessThan(61_000)
  })

  test('then a creating request is retried after 429, which did nothing', async () => {
    const passed = shop.meeting({ status: 429 })
    await shop.till.createShortlink()
    expect(passed).toHaveLength(2)
    shop.meeting({ status: 503 })
    await expect(shop.till.createShortlink()).rejects.toThrow(Unavailable)
  })

  test('then it is not waited for beyond the deadline', async () => {
    shop.meeting({ status: 429, headers: { 'Retry-After': '3600' } })
    const refused = shop.till.getPos('till-1')
    await expect(refused).rejects.toThrow(TooManyRequests)
    await expect(refused).rejects.toMatchObject({ retry_after: 3_600_000 })
    expect(shop.pauses).toEqual([])
  })
})
