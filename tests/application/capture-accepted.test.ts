import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureAccepted } from '../../application/capture-accepted.ts'
import type { EventStore } from '../../application/event-store.ts'
import { makeHandler } from '../../application/handle.ts'
import { requestPayment } from '../../application/request-payment.ts'
import { allWork } from '../../application/share.ts'
import { takenRequest } from '../../application/take-payment.ts'
import { openPlace, type Place } from '../../harness/ledger-service.ts'

let place: Place

beforeAll(async () => {
  place = await openPlace()
})
afterAll(async () => {
  await place.stop()
  place.remove()
})

let count = 0

/** A payment to capture at once that alice has accepted. */
const accepted = async (): Promise<string> => {
  const { handle, find, tidOf, contextOf } = place.core
  const request = requestPayment({
    ...{ handle, find, tidOf },
    identify: async () => ({ stored: '', names: 'unknown' }),
    awaitScan: async () => {},
  })
  count += 1
  const taken = {
    ...{ merchant: 'sandbox', posId: 'till-1', posTid: `charge-${count}`, currency: 'NOK' },
    ...{ amount: 1000, text: null, phone: null, expiresIn: 900, isReserved: false },
  }
  const tid = await request(takenRequest(taken), { ...contextOf('test'), merchant: 'sandbox' })
  await place.sandbox(`payment_request/${tid}/accept/`, { payer: 'alice' })
  await place.core.caughtUp()
  return tid
}

/** The work of a process of its own. */
const processOn = (store: EventStore, told: unknown[] = []) => {
  const own = makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID })
  const work = captureAccepted({
    share: allWork(own.handle),
    rows: place.core.payments.payments,
    find: own.find,
    findTerms: place.core.findTerms,
    caughtUp: place.core.caughtUp,
    newId: randomUUID,
    outageOf: (tid) => ({
      failed: (error) => told.push([tid, String(error)]),
      worked: () => told.push([tid, 'works']),
    }),
  })
  return (at: number) => work(at, new AbortController().signal)
}

const typesOf = async (tid: string) =>
  (await place.core.store.readStream(`payment-${tid}`)).map(({ type }) => type)

const whole = ['PaymentRequested', 'PaymentAuthorized', 'PaymentCaptured']

test('given several processes, an accepted payment is captured once', async () => {
  const tid = await accepted()
  const { store, now } = place.core
  const processes = [processOn(store), processOn(store), processOn(store)]
  await Promise.all(processes.map((look) => look(now())))
  expect(await typesOf(tid)).toEqual(whole)
  expect(place.core.payments.payments.toCapture(10)).toEqual([])
})

test('given an append that fails, others are captured, and it is once it works', async () => {
  const [broken, healthy] = [await accepted(), await accepted()]
  const { store, now } = place.core
  let isBroken = true
  const failing: EventStore = {
    ...store,
    append: (stream, ...rest) =>
      isBroken && stream === `payment-${broken}`
        ? Promise.reject(new Error('broken'))
        : store.append(stream, ...rest),
  }
  const told: unknown[] = []
  const look = processOn(failing, told)
  const at = now()
  expect(await look(at)).toBe(at + 1000)
  expect(await typesOf(healthy)).toEqual(whole)
  expect(await typesOf(broken)).toEqual(whole.slice(0, 2))
  isBroken = false
  expect(await look(at + 1000)).toBeNull()
  expect(await typesOf(broken)).toEqual(whole)
  expect(told).toEqual([
    [broken, 'Error: broken'],
    [broken, 'works'],
  ])
})

test('given one that was released or captured meanwhile, nothing else is recorded', async () => {
  const [released, captured] = [await accepted(), await accepted()]
  const { store, now } = place.core
  const rows = place.core.payments.payments.toCapture(10)
  await place.release(released)
  await place.capture(captured)
  const own = makeHandler({ store, eventId: () => randomUUID(), commandId: randomUUID })
  const failed: unknown[] = []
  let isFirst = true
  const work = captureAccepted({
    share: allWork(own.handle),
    rows: { toCapture: () => (isFirst ? rows : []) },
    find: own.find,
    findTerms: place.core.findTerms,
    caughtUp: async () => {
      isFirst = false
    },
    newId: randomUUID,
    outageOf: () => ({ failed: (error) => failed.push(error), worked: () => {} }),
  })
  await work(now(), new AbortController().signal)
  expect(failed).toEqual([])
  expect((await typesOf(released)).at(-1)).toBe('PaymentReleased')
  expect(await typesOf(captured)).toEqual(whole)
})

test('given a payment accepted just before a stop, the next start captures it', async () => {
  const tid = await accepted()
  expect(await typesOf(tid)).toEqual(whole.slice(0, 2))
  const { directory } = place
  await place.stop()
  place = await openPlace(directory)
  await place.sandbox('clock/', { advance_seconds: 0 })
  expect(await typesOf(tid)).toEqual(whole)
})
