import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { MerchantClient } from '../../harness/merchant-client.ts'
import { startReceiver, type Receiver } from '../../demo/receiver.ts'
import type { Recorded } from '../../domain/events.ts'
import {
  accept,
  advance,
  authorize,
  capture,
  outcomeOf,
  pathOf,
  requestPayment,
  runCommand,
  startShop,
  type TestShop,
} from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { readLog } from '../support/event-log.ts'

const folder = newFolder()

const settings = { DATA_DIR: folder }

let shop: TestShop

let receiver: Receiver

beforeAll(async () => {
  shop = await startShop(settings)
  receiver = await startReceiver({ keys: shop.keys })
})

afterAll(async () => {
  await receiver.close()
  await shop.service.stop()
  rmSync(folder, { recursive: true })
})

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status)

const eventsOf = (log: readonly Recorded[], tid: string) =>
  log.filter(({ stream }) => stream === `payment-${tid}`)

const typesOf = (events: readonly Recorded[]) => events.map(({ type }) => type)

test('the address is printed as one line once requests are answered', () => {
  expect(shop.service.printed.at(-1)).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/)
  expect(shop.service.printed.filter((line) => line.startsWith('listening'))).toHaveLength(1)
})

describe('captures at the same time', () => {
  test('100 of 1.00 with distinct ids on 50.00: fifty succeed, the others get the reason', async () => {
    const tid = await authorize(shop, { amount: '50.00' })
    const answers = await Promise.all(range(100).map((n) => capture(shop.till, tid, `c-${n}`)))
    const statuses = statusesOf(answers)
    expect(statuses.filter((status) => status === 204)).toHaveLength(50)
    expect(statuses.filter((status) => [400, 409].includes(status))).toHaveLength(50)
    const outcome = await outcomeOf(shop.till, tid)
    expect(outcome).toMatchObject({ status: 'ok', auth_amount: '0.00' })
    const taken = range(100).filter((n) => statuses[n] === 204)
    const ids = outcome.captures.map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(taken.map((n) => `c-${n}`).toSorted())
  })

  test('100 of 1.00 with the same id: one capture, and all get a success', async () => {
    const tid = await authorize(shop, { amount: '50.00' })
    const answers = await Promise.all(range(100).map(() => capture(shop.till, tid, 'the-one')))
    expect(new Set(statusesOf(answers))).toEqual(new Set([204]))
    expect(await outcomeOf(shop.till, tid)).toMatchObject({
      auth_amount: '49.00',
      captures: [{ id: 'the-one', amount: '1.00' }],
    })
  })
})

test('expiry is recorded at the exact second, once, without any request', async () => {
  const tid = await requestPayment(shop.till, { expires_in: 600 })
  const authorized = await authorize(shop)
  const { date_expires } = (await shop.till('GET', pathOf(tid))).body
  const dueAt = Date.parse(`${date_expires.replace(' ', 'T')}Z`)
  const before = new Date(dueAt - 1000).toISOString().slice(0, 19).replace('T', ' ')
  // A second before, when nothing is recorded yet.
  await shop.world('POST', '/sandbox/v1/clock/', { now: before })
  expect(typesOf(eventsOf(await readLog(folder), tid))).toEqual(['PaymentRequested'])
  await shop.world('POST', '/sandbox/v1/clock/', { now: date_expires })
  await advance(shop.world, 0)
  const expired = eventsOf(await readLog(folder), tid)
  expect(typesOf(expired)).toEqual(['PaymentRequested', 'PaymentExpired'])
  expect(expired[1]).toMatchObject({
    data: { expiredAt: dueAt },
    metadata: { actor: 'daybook', merchant: 'sandbox' },
  })
  await advance(shop.world, 3 * 86_400)
  const log = await readLog(folder)
  expect(typesOf(eventsOf(log, tid))).toHaveLength(2)
  expect(typesOf(eventsOf(log, authorized))).toEqual([
    'PaymentRequested',
    'PaymentAuthorized',
    'PaymentAuthorizationExpired',
  ])
})

/**
 * Captures 1.00 repeatedly until the service dies; returns the acknowledged ids and the
 * unacknowledged one.
 */
const captureUntilDeath = async (till: MerchantClient, tid: string, onAcknowledged: () => void) => {
  const acknowledged: string[] = []
  for (let n = 0; ; n++) {
    const id = `${tid}-${n}`
    const answer = await capture(till, tid, id).catch(() => undefined)
    if (answer?.status !== 204) return { tid, acknowledged, unacknowledged: id }
    acknowledged.push(id)
    onAcknowledged()
  }
}

test('kill -9 amid captures, and a start with rebuilt read models: what was acknowledged is there once, the rest can be sent again, every callback arrives, none that had', async () => {
  const callback_uri = receiver.url('/stream')
  const tids = await Promise.all(
    range(12).map(() => authorize(shop, { amount: '9000.00', callback_uri })),
  )
  const told = await authorize(shop, { callback_uri: receiver.url('/told') })
  await advance(shop.world, 0)
  const rebuilt = await runCommand(settings, '--json', 'rebuild')
  expect(JSON.parse(rebuilt.output).events).toBeGreaterThan(100)

  // It expires while the service is down, or when it comes back.
  const unanswered = await requestPayment(shop.till, { expires_in: 1, callback_uri })
  let acknowledgements = 0
  let died: Promise<unknown> | undefined
  const streams = await Promise.all(
    tids.map((tid) =>
      captureUntilDeath(shop.till, tid, () => {
        acknowledgements += 1
        if (acknowledgements === 150) died = shop.service.stop('SIGKILL')
      }),
    ),
  )
  await died
  const addresses = [shop.service.address]
  shop = await startShop(settings)
  addresses.push(shop.service.address)

  const retried = streams.map(({ tid, unacknowledged }) => capture(shop.till, tid, unacknowledged))
  expect(new Set(statusesOf(await Promise.all(retried)))).toEqual(new Set([204]))
  for (const { tid, acknowledged, unacknowledged } of streams) {
    const outcome = await outcomeOf(shop.till, tid)
    const ids = [...acknowledged, unacknowledged]
    expect(outcome.captures.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(outcome.auth_amount).toBe(`${9000 - ids.length}.00`)
  }

  await receiver.until((arrivals) =>
    arrivals.some(({ meta }) => meta.event === 'payment_request_expired'),
  )
  await advance(shop.world, 0)
  const log = await readLog(folder)
  for (const tid of [...tids, unanswered]) {
    const owed = eventsOf(log, tid).slice(1)
    const arrived = receiver.messages().filter(({ meta }) => meta.uri?.includes(tid))
    expect(arrived.map(({ meta }) => meta.id)).toEqual(owed.map(({ id }) => id))
    expect(arrived.map(({ meta }) => meta.seqno)).toEqual(range(owed.length).map((n) => n + 1))
  }
  expect(typesOf(eventsOf(log, unanswered))).toEqual(['PaymentRequested', 'PaymentExpired'])
  expect(receiver.arrivals.filter(({ meta }) => meta.uri?.includes(told))).toHaveLength(1)
  for (const { problems, meta } of receiver.arrivals) {
    expect(problems).toEqual([])
    expect(addresses).toContain(new URL(meta.uri!).origin)
  }
})

/** Resolves once nobody listens at an address. */
const untilRefused = async (address: string): Promise<void> => {
  for (;;) {
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    const isRefused = await new Promise((resolve) => {
      socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
    })
    socket.destroy()
    if (isRefused) return
  }
}

test('two processes on one folder see each other’s writes at once; SIGTERM finishes what runs', async () => {
  const other = await startShop(settings)
  onTestFinished(async () => void (await other.service.stop()))
  for (const n of range(10)) {
    const pos = { id: `counter-${n}`, name: 'Counter', type: 'store' }
    expect((await shop.till('POST', '/merchant/v1/pos/', pos)).status).toBe(201)
    expect((await other.till('GET', `/merchant/v1/pos/counter-${n}/`)).body.name).toBe('Counter')
    const tid = await requestPayment(other.till, { pos_id: pos.id, amount: '50.00' })
    await accept(shop.world, tid)
    expect((await outcomeOf(other.till, tid)).status).toBe('auth')
  }

  const tid = await authorize(shop, { amount: '50.00' })
  const tills = [shop.till, other.till]
  const both = range(100).map((n) => capture(tills[n % 2]!, tid, `c-${n}`))
  const statuses = statusesOf(await Promise.all(both))
  expect(statuses.filter((status) => ![204, 400, 409].includes(status))).toEqual([])
  // A 409 may also mean too many conflicts: then the request can be repeated.
  for (const n of range(100))
    if (statuses[n] === 409) statuses[n] = (await capture(shop.till, tid, `c-${n}`)).status
  const taken = range(100).filter((n) => statuses[n] === 204)
  expect(taken).toHaveLength(50)
  for (const till of tills) {
    const outcome = await outcomeOf(till, tid)
    const ids = outcome.captures.map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(taken.map((n) => `c-${n}`).toSorted())
  }

  // A request with headers but without its body.
  const last = await authorize(other)
  const running = request(`${other.service.address}${pathOf(last)}`, {
    method: 'PUT',
    headers: {
      'X-Service-Merchant': 'sandbox',
      'X-Service-User': 'pos1',
      Authorization: 'SECRET sandbox-secret',
      'Content-Type': 'application/json',
      Expect: '100-continue',
    },
  })
  running.flushHeaders()
  await once(running, 'continue')
  const ended = other.service.stop('SIGTERM')
  await untilRefused(other.service.address)
  running.end(JSON.stringify({ action: 'capture' }))
  const [answer] = await once(running, 'response')
  expect(answer.statusCode).toBe(204)
  answer.resume()
  expect(await ended).toBe(0)
  expect((await outcomeOf(shop.till, last)).status).toBe('ok')
})
