import { describe, expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { callbackQueueQueries } from '../../projections/callback-queue.ts'
import { events, hours, morning, requestEnds } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const requested = (tid: string, changes: Partial<PaymentRequest> = {}, expiresAt = requestEnds) =>
  happened(`payment-${tid}`, events.requested({ posTid: tid, ...changes }, null, expiresAt))

describe('the callbacks that have not arrived', () => {
  const uri = 'https://shop.example/hook'
  const attempted = (result: 'failed' | 'gone' | 'delivered', nextAttemptAt: number | null) =>
    happened(`callback-e2`, {
      type: 'CallbackAttempted',
      data: {
        subject: 'payment-a',
        revision: 1,
        event: 'payment_aborted_by_merchant',
        seqno: 1,
        uri,
        attemptedAt: morning,
        result,
        httpStatus: null,
        problem: null,
        nextAttemptAt,
      },
    })
  const unfinished = () => {
    const { unfinishedCount, unfinished } = callbackQueueQueries(file.db)
    return [unfinishedCount(), unfinished().map(({ subject }) => subject)]
  }

  test('are those that wait and those that were given up', () => {
    requested('a', { callbackUri: uri })
    expect(unfinished()).toEqual([0, []])
    happened('payment-a', { type: 'PaymentAborted', data: {} })
    expect(unfinished()).toEqual([1, ['payment-a']])
    attempted('failed', null)
    expect(unfinished()).toEqual([1, ['payment-a']])
  })

  test('given one that was given up, when a try under way arrives, then nothing is left', () => {
    requested('a', { callbackUri: uri })
    happened('payment-a', { type: 'PaymentAborted', data: {} })
    attempted('failed', null)
    attempted('delivered', null)
    expect(unfinished()).toEqual([0, []])
  })

  test.each([
    ['fails', 'failed', morning + hours],
    ['fails for the last time', 'failed', null],
    ['finds nobody any more', 'gone', null],
  ] as const)(
    'given a new address during a try at the old one, when that %s, then the new one is tried',
    (_, result, next) => {
      requested('a', { callbackUri: uri })
      happened('payment-a', { type: 'PaymentAborted', data: {} })
      const data = { callbackUri: 'https://shop.example/new' }
      happened('payment-a', { type: 'PaymentAmended', data })
      attempted(result, next)
      const { find } = callbackQueueQueries(file.db)
      expect(find('payment-a')).toMatchObject({
        ...data,
        dueAt: morning,
        waiting: [{ attempts: 1, nextAttemptAt: morning }],
        abandoned: [],
      })
    },
  )

  test('are tried in order: one that failed or is repeated goes before later ones', () => {
    requested('a', { callbackUri: uri })
    happened('payment-a', events.authorized())
    happened('payment-a', events.captured('one', 1, 0))
    const { find } = callbackQueueQueries(file.db)
    const order = () => find('payment-a')?.waiting.map(({ seqno }) => seqno)
    const first = find('payment-a')?.waiting[0]?.id ?? ''
    const about = { subject: 'payment-a', revision: 1, event: 'payment_authorized', seqno: 1 }
    const tried = (nextAttemptAt: number | null) =>
      happened(`callback-${first}`, {
        type: 'CallbackAttempted',
        data: {
          ...{ ...about, uri, attemptedAt: morning, result: 'failed', httpStatus: 500 },
          ...{ problem: null, nextAttemptAt },
        },
      })
    tried(morning + hours)
    expect(order()).toEqual([1, 2])
    expect(find('payment-a')?.dueAt).toBe(morning + hours)
    tried(null)
    expect(order()).toEqual([2])
    happened(`callback-${first}`, {
      type: 'CallbackRetryRequested',
      data: { ...about, nextAttemptAt: morning },
    })
    expect(order()).toEqual([1, 2])
    // All its attempts are available again.
    expect(find('payment-a')?.waiting[0]).toMatchObject({ seqno: 1, attempts: 0 })
  })

  test('of scans are tried each by itself: new ones first, then what is due longest', () => {
    const data = { merchant: 'sandbox', id: 's', description: null, serialNumber: null }
    const scan = { argstring: '', scannedAt: morning, payer: 'alice', tokenDigest: 'd' }
    happened('shortlink-s', { type: 'ShortlinkRegistered', data: { ...data, callbackUri: uri } })
    const scanned = (name: string) =>
      happened('scans-s', { type: 'ShortlinkScanned', data: { ...scan, scan: name } })
    const { find } = callbackQueueQueries(file.db)
    const second = 1_000
    const row = () => find('scans-s')!
    const order = () => row().waiting.map(({ seqno }) => seqno)
    const failed = (nextAttemptAt: number) => {
      const { id, subject, revision, event, seqno } = row().waiting[0]!
      const about = { subject, revision, event, seqno, uri, attemptedAt: morning }
      const result = { result: 'failed', httpStatus: 500, problem: null, nextAttemptAt } as const
      happened(`callback-${id}`, { type: 'CallbackAttempted', data: { ...about, ...result } })
    }
    scanned('a')
    scanned('b')
    failed(morning + second)
    expect([order(), row().dueAt]).toEqual([[2, 1], morning])
    failed(morning + 2 * second)
    scanned('c')
    expect([order(), row().dueAt]).toEqual([[3, 1, 2], morning])
    failed(morning + 3 * second)
    expect([order(), row().dueAt]).toEqual([[1, 2, 3], morning + second])
    const moved = { ...data, callbackUri: 'https://shop.example/new' }
    happened('shortlink-s', { type: 'ShortlinkChanged', data: moved })
    expect(row().waiting.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual(Array(3).fill(morning))
  })

  describe('of the scans of a shortlink that is removed', () => {
    const shortlink = { merchant: 'sandbox', id: 's', description: null, serialNumber: null }
    const scan = { scan: 'n', argstring: '', scannedAt: morning, payer: 'alice', tokenDigest: 'd' }
    const scanned = () => {
      const data = { ...shortlink, callbackUri: uri }
      happened('shortlink-s', { type: 'ShortlinkRegistered', data })
      happened('scans-s', { type: 'ShortlinkScanned', data: scan })
    }
    const removed = () => happened('shortlink-s', { type: 'ShortlinkRemoved', data: {} })

    test('are owed still', () => {
      scanned()
      removed()
      expect(unfinished()).toEqual([1, ['scans-s']])
      const { find } = callbackQueueQueries(file.db)
      expect(find('scans-s')).toMatchObject({ dueAt: morning, callbackUri: uri })
    })

    test('given that it had no address any more, are owed to nobody', () => {
      scanned()
      const data = { ...shortlink, callbackUri: null }
      happened('shortlink-s', { type: 'ShortlinkChanged', data })
      expect(unfinished()).toEqual([1, ['scans-s']])
      removed()
      expect(unfinished()).toEqual([0, []])
    })
  })

  test('are found without a look at those that have arrived', () => {
    const plans = file.plansOf(() => callbackQueueQueries(file.db), 'abandoned <>')
    expect(plans).toHaveLength(3)
    for (const plan of plans) expect(plan.join()).toContain('callback_queue_unfinished')
  })
})
