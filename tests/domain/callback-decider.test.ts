import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  callback,
  callbackEvents,
  type Attempt,
  type CallbackEvent,
} from '../../domain/callback.ts'
import {
  callbackEventNames,
  callbackNameOf,
  displayCallbackName,
  displayMessageId,
  displayOf,
  displayTexts,
  isDisplayed,
  scanCallbackName,
  streamOfSubject,
} from '../../domain/callback-names.ts'
import { nextAttemptAt } from '../../domain/callback-schedule.ts'
import { fold } from '../../domain/decider.ts'
import { examplesOf } from './given.ts'
import { hours, morning, threeDays } from './payments.ts'

const given = examplesOf(callback)

const message = { subject: 'payment-t', revision: 1, event: 'payment_authorized', seqno: 1 }

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  ...message,
  uri: 'https://shop.example/callback',
  attemptedAt: morning,
  result: 'failed',
  httpStatus: 503,
  problem: null,
  ...changes,
})
const record = (changes: Partial<Attempt> = {}, after = 0, jitter = 0) =>
  ({ type: 'RecordAttempt', attempt: attempt(changes), after, jitter }) as const
const attempted = (
  nextAttemptAt: number | null,
  changes: Partial<Attempt> = {},
): CallbackEvent => ({
  type: 'CallbackAttempted',
  data: { ...attempt(changes), nextAttemptAt },
})
const telling = { position: 7, toldAt: morning }
const retry = (at: number) =>
  ({ type: 'RequestRetry', at, message: { ...message, ...telling } }) as const
const retried = (at: number): CallbackEvent => ({
  type: 'CallbackRetryRequested',
  data: { ...message, ...telling, nextAttemptAt: at },
})

const delivered = attempted(null, { result: 'delivered', httpStatus: 204 })
const gone = attempted(null, { result: 'gone', httpStatus: 410 })

describe('the delivery of a callback', () => {
  test('given a message that a channel heard, when another process sends it, then nothing', () => {
    const heard = { uri: 'pusher:m-shop-till', result: 'delivered', httpStatus: null } as const
    given(attempted(null, heard)).when(record(heard, 1)).then()
    given(attempted(null, heard)).when(record(heard, 0)).then()
    // Whoever asks for it again hears it again.
    given(attempted(null, heard), retried(morning)).when(record(heard)).then(attempted(null, heard))
  })

  test('given no attempt, when it arrives, then it is delivered and not tried again', () => {
    expect(given().state).toEqual({ status: 'untried', attempts: 0, latest: null })
    given()
      .when(record({ result: 'delivered', httpStatus: 204 }))
      .then(delivered)
    expect(given(delivered).state).toEqual({
      status: 'delivered',
      attempts: 1,
      latest: { uri: attempt().uri, attempts: 1, firstAttemptAt: morning },
    })
  })

  test('given no attempt, when it fails, then it is tried again in five seconds', () => {
    given()
      .when(record())
      .then(attempted(morning + 5000))
    expect(given(attempted(morning + 5000)).state).toEqual({
      status: 'waiting',
      attempts: 1,
      latest: { uri: attempt().uri, attempts: 1, firstAttemptAt: morning },
    })
  })

  test('given failures, when it fails again, then the wait is the next longer one', () => {
    const later = morning + 5000
    given(attempted(later))
      .when(record({ attemptedAt: later }, 1))
      .then(attempted(later + 30_000, { attemptedAt: later }))
    expect(
      given(attempted(later), attempted(later + 30_000, { attemptedAt: later })).state,
    ).toEqual({
      status: 'waiting',
      attempts: 2,
      latest: { uri: attempt().uri, attempts: 2, firstAttemptAt: morning },
    })
  })

  test('given a failure, when the receiver is gone, then it is given up', () => {
    given(attempted(morning + 5000))
      .when(record({ result: 'gone', httpStatus: 410 }))
      .then(gone)
    expect(given(attempted(morning + 5000), gone).state.status).toBe('abandoned')
  })

  test('given a first failure three days ago, when it fails again, then it is given up', () => {
    const at = morning + threeDays
    given(attempted(morning + 5000))
      .when(record({ attemptedAt: at }, 1))
      .then(attempted(null, { attemptedAt: at }))
    expect(given(attempted(null)).state.status).toBe('abandoned')
  })

  test('given failures at another address for three days, when it fails at this one, then its schedule begins anew', () => {
    const at = morning + threeDays
    const elsewhere = { uri: 'https://old.example/', attemptedAt: morning }
    const before = [attempted(morning + 5000, elsewhere), attempted(morning + 35_000, elsewhere)]
    const first = attempted(at + 5000, { attemptedAt: at })
    given(...before)
      .when(record({ attemptedAt: at }, 2))
      .then(first)
    given(...before, first)
      .when(record({ attemptedAt: at + 5000 }, 3))
      .then(attempted(at + 35_000, { attemptedAt: at + 5000 }))
  })

  test('given that it arrived, when another process’s try at the same time fails, then it stays delivered', () => {
    given(delivered).when(record()).then()
  })

  test('given that another process’s try failed meanwhile, when this one fails, then it is no further step', () => {
    given(attempted(morning + 5000))
      .when(record({ attemptedAt: morning + 40 }))
      .then()
  })

  test('given that another process’s try failed meanwhile, when this one arrives, then it is delivered', () => {
    given(attempted(morning + 5000))
      .when(record({ result: 'delivered', httpStatus: 204 }))
      .then(delivered)
    expect(given(attempted(morning + 5000), delivered).state.status).toBe('delivered')
  })

  test.each([
    ['waiting', [attempted(morning + 5000)]],
    ['given up', [gone]],
    ['delivered', [delivered]],
  ])(
    'given it is %s, when the operator asks for a retry, then it is due now and begins anew',
    (_, history) => {
      given(...history)
        .when(retry(morning + hours))
        .then(retried(morning + hours))
      const again = [...history, retried(morning + hours)]
      expect(given(...again).state).toEqual({
        status: 'waiting',
        attempts: 0,
        latest: null,
      })
      const at = morning + 2 * threeDays
      given(...again)
        .when(record({ attemptedAt: at }))
        .then(attempted(at + 5000, { attemptedAt: at }))
    },
  )

  test('given a message that had no address, when a retry is asked for, then it is due now', () => {
    given().when(retry(morning)).then(retried(morning))
  })

  test('given a wish for a test event, then it is recorded, and it is delivered like any other', () => {
    const wish = { type: 'CallbackTestRequested', data: { uri: 'https://shop.example' } } as const
    given().when({ type: 'RequestTest', uri: 'https://shop.example' }).then(wish)
    expect(given(wish).state).toEqual(callback.initial)
  })
})

describe('the schedule of retries', () => {
  test('is about 5 s, 30 s, 2 min, 10 min, 30 min, then hourly and slower', () => {
    const waits = Array.from({ length: 11 }, (_, index) => {
      const next = nextAttemptAt(index + 1, morning, morning, 0)
      return ((next ?? 0) - morning) / 1000
    })
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 3600, 3600, 7200, 14_400, 14_400])
  })

  test('spreads what failed together over a fifth of the wait', () => {
    expect(nextAttemptAt(1, morning, morning, 0.5)).toBe(morning + 5500)
    expect(nextAttemptAt(1, morning, morning, 1)).toBe(morning + 6000)
    expect(nextAttemptAt(1, morning, morning, 0.00005)).toBe(morning + 5000)
  })

  test('ends three days after the first attempt, to the millisecond', () => {
    const at = morning + threeDays - 5000
    expect(nextAttemptAt(1, morning, at, 0)).toBe(morning + threeDays)
    expect(nextAttemptAt(1, morning, at + 1, 0)).toBeNull()
  })

  test('for any jitter and any slowness of the receiver, grows, keeps its bounds, and ends in three days', () => {
    const rounds = fc.array(
      fc.record({ jitter: fc.double({ min: 0, max: 1, noNaN: true }), lateMs: fc.nat(60_000) }),
      { minLength: 60, maxLength: 60 },
    )
    fc.assert(
      fc.property(rounds, (rounds) => {
        const events: CallbackEvent[] = []
        let at = morning
        let shortest = 0
        for (const { jitter, lateMs } of rounds) {
          const [event] = callback.decide(
            record({ attemptedAt: at }, events.length, jitter),
            fold(callback, events),
          )
          if (event?.type !== 'CallbackAttempted') throw new Error('an attempt is recorded as one')
          events.push(event)
          expect(
            callbackEvents.CallbackAttempted.parse(JSON.parse(JSON.stringify(event.data))),
          ).toEqual(event.data)
          const { nextAttemptAt } = event.data
          if (nextAttemptAt === null) break
          const wait = nextAttemptAt - at
          const withoutJitter = wait / (1 + jitter / 5)
          expect(Math.round(withoutJitter)).toBeGreaterThanOrEqual(shortest)
          expect(wait).toBeGreaterThanOrEqual(5000)
          expect(wait).toBeLessThanOrEqual(14_400_000 * 1.2)
          expect(nextAttemptAt).toBeLessThanOrEqual(morning + threeDays)
          shortest = Math.floor(withoutJitter)
          at = nextAttemptAt + lateMs
        }
        expect(fold(callback, events).status).toBe('abandoned')
        // Hourly at first, then every four hours: neither a hail of requests, nor three tries and good-bye.
        expect(events.length).toBeGreaterThan(15)
        expect(events.length).toBeLessThan(30)
        expect(at).toBeGreaterThan(morning + threeDays - 5 * hours)
      }),
    )
  })

  test('once a message has arrived, no failure makes it due again', () => {
    const results = fc.array(
      fc.constantFrom('failed' as const, 'gone' as const, 'delivered' as const),
    )
    fc.assert(
      fc.property(results, fc.nat(5), (results, failures) => {
        const events: CallbackEvent[] = []
        const all = [
          ...Array.from({ length: failures }, () => 'failed' as const),
          'delivered' as const,
          ...results,
        ]
        for (const result of all)
          events.push(...callback.decide(record({ result }, events.length), fold(callback, events)))
        expect(fold(callback, events).status).toBe('delivered')
        for (const event of events.slice(failures))
          expect(event).toMatchObject({ data: { nextAttemptAt: null } })
      }),
    )
  })
})

test('each event that the decisions name becomes the callback event that stands beside it', () => {
  expect(callbackEventNames).toEqual({
    PaymentAuthorized: 'payment_authorized',
    PaymentDeclined: 'payment_aborted_by_customer',
    PaymentFailed: 'payment_aborted_by_customer',
    PaymentAborted: 'payment_aborted_by_merchant',
    PaymentExpired: 'payment_request_expired',
    PaymentCaptured: 'payment_captured',
    PaymentReleased: 'payment_auth_released',
    PaymentRenewed: 'payment_authorization_renewed',
    PaymentAuthorizationExpired: 'payment_authorization_expired',
    PaymentRefunded: 'payment_refunded',
    ReportCompleted: 'report_closed',
    SettlementMade: 'settlement_made',
    DestinationRested: 'callback_address_rested',
    NoticeRaised: 'portal',
    PermissionGranted: 'permission_request_answered',
    PermissionDeclined: 'permission_request_answered',
    PermissionFailed: 'permission_request_answered',
    PermissionExpired: 'permission_request_expired',
  })
})

test.each([
  ['PaymentRefunded', 3],
  ['SettlementMade', 2],
])('%s is told from its version %i on: nobody hears now of what happened before', (type, first) => {
  expect(callbackNameOf(type, first - 1)).toBeUndefined()
  expect(callbackNameOf(type, first)).toBe(callbackEventNames[type as 'PaymentRefunded'])
})

test('a scan and a display have callback events of their own', () => {
  expect([scanCallbackName, displayCallbackName]).toEqual(['shortlink_scanned', 'display_message'])
})

test('what a display is told has a subject and an id beside those of the payment', () => {
  expect(displayOf('payment-t')).toBe('payment-t#display')
  expect(streamOfSubject(displayOf('payment-t'))).toBe('payment-t')
  expect(streamOfSubject('payment-t')).toBe('payment-t')
  expect(displayMessageId('e')).toBe('e-display')
})

test.each([...Object.keys(displayTexts), 'PaymentCaptured', 'ReportCompleted'])(
  'a display is told of %s only when there are words for it',
  (type) => {
    expect(isDisplayed(type)).toBe(!['PaymentCaptured', 'ReportCompleted'].includes(type))
  },
)
