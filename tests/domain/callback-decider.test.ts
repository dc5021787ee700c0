import { describe, expect, test } from 'vitest'
import { callback, type CallbackEvent } from '../../domain/callback.ts'
import { examplesOf } from './given.ts'
import { hours, morning, threeDays } from './payments.ts'
import { message, attempt, record, attempted, delivered, gone } from './callbacks.ts'

const given = examplesOf(callback)

const announcement = { position: 7, toldAt: morning }

const retry = (at: number) =>
  ({ type: 'RequestRetry', at, message: { ...message, ...announcement } }) as const

const retried = (at: number): CallbackEvent => ({
  type: 'CallbackRetryRequested',
  data: { ...message, ...announcement, nextAttemptAt: at },
})

describe('the delivery of a callback', () => {
  test('given a message already published, when another process sends it, then no event', () => {
    const heard = { uri: 'pusher:m-shop-till', result: 'delivered', httpStatus: null } as const
    given(attempted(null, heard)).when(record(heard, 1)).then()
    given(attempted(null, heard)).when(record(heard, 0)).then()
    // Each retry request is recorded.
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

  test('given three days of failures elsewhere, when it fails here, the schedule restarts', () => {
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

  test('given that it arrived, when a try beside it fails, then it stays delivered', () => {
    given(delivered).when(record()).then()
  })

  test('given a try beside it that failed, when this one fails, then it is no further step', () => {
    given(attempted(morning + 5000))
      .when(record({ attemptedAt: morning + 40 }))
      .then()
  })

  test('given a try beside it that failed, when this one arrives, then it is delivered', () => {
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

  test('given a message without an address, when a retry is requested, then it is due now', () => {
    given().when(retry(morning)).then(retried(morning))
  })

  test('given a wish for a test event, then it is recorded and delivered like any other', () => {
    const wish = { type: 'CallbackTestRequested', data: { uri: 'https://shop.example' } } as const
    given().when({ type: 'RequestTest', uri: 'https://shop.example' }).then(wish)
    expect(given(wish).state).toEqual(callback.initial)
  })
})
