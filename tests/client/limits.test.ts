import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NoAnswer, ServiceError, Unavailable } from '../../client/index.ts'
import { startTroubledProxy } from './troubled-proxy.ts'
import { startTroubledShop, type TroubledShop } from './troubled-shop.ts'

let shop: TroubledShop
beforeAll(async () => void (shop = await startTroubledShop()))
afterAll(() => shop.stop())

describe('when it goes on failing', () => {
  const down = { status: 503, body: '<h1>Bad gateway</h1>' } as const

  test('then pauses grow, and five attempts are all', async () => {
    const passed = shop.meeting(...Array(9).fill(down))
    const failed = shop.till.getPos('till-1')
    await expect(failed).rejects.toThrow(/^GET \/merchant\/v1\/pos\/till-1\/: 503 Service Unavail/)
    expect(passed).toHaveLength(5)
    expect(shop.pauses).toEqual([188, 375, 750, 1500])
  })

  test('then a call may have limits of its own', async () => {
    const passed = shop.meeting(...Array(9).fill(down))
    await expect(shop.till.getPos('till-1', { attempts: 2 })).rejects.toThrow(Unavailable)
    await expect(shop.till.getPos('till-1', { deadline: 1_000 })).rejects.toThrow(Unavailable)
    expect(passed).toHaveLength(2 + 3)
  })

  test('then a request that never arrived is retried, even if it creates something', async () => {
    const closed = await startTroubledProxy()
    closed.close()
    shop.meeting()
    await expect(shop.tillWith({ url: closed.address }).createShortlink()).rejects.toThrow(NoAnswer)
    expect(shop.pauses).toHaveLength(4)
  })
})

test.each([400, 401, 404, 409, 500, 301, 307])(
  'an answer of %i is not asked for again',
  async (status) => {
    const passed = shop.meeting({ status, headers: { Location: 'https://elsewhere.example/' } })
    await expect(shop.till.getPos('till-1')).rejects.toThrow(ServiceError)
    expect(passed).toHaveLength(1)
  },
)

test('a request with an unreadable response is retried', async () => {
  const passed = shop.meeting({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: '{',
  })
  expect(await shop.till.getPos('till-1')).toMatchObject({ id: 'till-1' })
  expect(passed).toHaveLength(2)
})

test('silence is no answer', async () => {
  const passed = shop.meeting('silence')
  const found = await shop.till.getPos('till-1', { timeout: 200 })
  expect(found).toMatchObject({ id: 'till-1' })
  expect(passed).toHaveLength(2)
})

describe('given a signal', () => {
  test('when it is aborted while one waits, then the call ends with its reason', async () => {
    const controller = new AbortController()
    const passed = shop.meeting('silence')
    const asked = shop.till.getPos('till-1', { signal: controller.signal })
    await shop.proxy.untilPassed(1)
    controller.abort(new Error('the till was switched off'))
    await expect(asked).rejects.toThrow('the till was switched off')
    expect(passed).toHaveLength(1)
  })

  test('when it is aborted between two attempts, then there is no second one', async () => {
    const controller = new AbortController()
    const passed = shop.meeting({ status: 503, headers: { 'Retry-After': '60' } })
    const asked = shop
      .tillWith({ clock: undefined })
      .getPos('till-1', { signal: controller.signal })
    await shop.proxy.untilPassed(1)
    controller.abort(new Error('the till was switched off'))
    await expect(asked).rejects.toThrow('the till was switched off')
    expect(passed).toHaveLength(1)
  })
})
