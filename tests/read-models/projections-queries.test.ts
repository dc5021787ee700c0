import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { callbackQueueQueries } from '../../projections/callback-queries.ts'
import { payerInboxQueries } from '../../projections/payer-inbox.ts'
import { paymentQueries } from '../../projections/payments.ts'
import { permissionQueries } from '../../projections/permissions.ts'
import { posRegister } from '../../projections/registers.ts'
import {
  authorizationEnds,
  events,
  hours,
  morning,
  request,
  requestEnds,
} from '../domain/payments.ts'
import { settlementQueries } from '../../projections/settlements.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()
const { happened } = file

const requested = (tid: string, changes: Partial<PaymentRequest> = {}, expiresAt = requestEnds) =>
  happened(`payment-${tid}`, events.requested({ posTid: tid, ...changes }, null, expiresAt))

describe('the payments', () => {
  test('that are due to expire are listed earliest first, as many as asked for, until it is recorded', () => {
    const { due } = paymentQueries(file.db)
    requested('late', {}, requestEnds + 2000)
    requested('soon', {}, requestEnds)
    requested('later', { merchant: 'other' }, requestEnds + 1000)
    const tids = (now: number, limit = 10) => due(now, limit).map(({ tid }) => tid)
    expect(tids(requestEnds - 1)).toEqual([])
    expect(tids(requestEnds)).toEqual(['soon'])
    expect(tids(requestEnds + 5000)).toEqual(['soon', 'later', 'late'])
    expect(tids(requestEnds + 5000, 2)).toEqual(['soon', 'later'])
    expect(due(requestEnds + 1000, 10)[1]).toMatchObject({ tid: 'later', merchant: 'other' })
    happened('payment-soon', events.expired)
    expect(tids(requestEnds + 5000)).toEqual(['later', 'late'])
  })

  test('tell the next deadline, which moves with authorisation and goes with the end', () => {
    const { nextDeadline } = paymentQueries(file.db)
    expect(nextDeadline(0)).toBeNull()
    requested('t1')
    expect(nextDeadline(0)).toBe(requestEnds)
    expect(nextDeadline(requestEnds - 1)).toBe(requestEnds)
    expect(nextDeadline(requestEnds)).toBeNull()
    happened('payment-t1', events.authorized())
    expect(nextDeadline(0)).toBe(authorizationEnds)
    requested('t2', {}, authorizationEnds + 1)
    happened('payment-t1', events.captured(null, 10_000, 1000))
    expect(nextDeadline(0)).toBe(authorizationEnds + 1)
  })
})

describe('the requests of a payer', () => {
  const asked = (tid: string, payer: string | null = 'alice') =>
    happened(`payment-${tid}`, events.requested({ posTid: tid }, payer))
  const askedPermission = (rid: string) =>
    happened(`permission-${rid}`, {
      type: 'PermissionRequested',
      data: {
        request: {
          ...{ merchant: 'sandbox', posId: 'till-1', posTid: rid, customer: null, text: null },
          ...{ scope: ['openid'], callbackUri: null, expiresIn: 60 },
        },
        payer: 'alice',
        expiresAt: requestEnds,
        currency: 'NOK',
      },
    })
  const listsOf = (payer: string) => {
    const { waiting, history } = payerInboxQueries(file.db)
    const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id)
    const all = Number.MAX_SAFE_INTEGER
    return [ids(waiting(payer, 0, all, 100)), ids(history(payer, all, 10))]
  }

  test('are payments and permissions in the order in which they came, then in which they were answered', () => {
    for (const tid of ['first', 'second', 'gone']) asked(tid)
    askedPermission('consent')
    asked('of-bob', 'bob')
    expect(listsOf('alice')).toEqual([['consent', 'gone', 'second', 'first'], []])
    happened('payment-first', events.authorized())
    happened('permission-consent', {
      type: 'PermissionDeclined',
      data: { payer: 'alice', charge: { fee: 0, interchange: 0, vat: 0, taxcode: 'NO:2013' } },
    })
    happened('payment-gone', events.expired)
    expect(listsOf('alice')).toEqual([['second'], ['gone', 'consent', 'first']])
    expect(listsOf('bob')).toEqual([['of-bob'], []])
  })

  test('stay where they are when the merchant amends, captures or refunds', () => {
    for (const tid of ['first', 'second']) asked(tid)
    const { ledger, callbackUri, displayMessageUri, links, lineItems } = request
    happened('payment-first', {
      type: 'PaymentAmended',
      data: { ledger, callbackUri, displayMessageUri, links, lineItems },
    })
    expect(listsOf('alice')).toEqual([['second', 'first'], []])
    for (const tid of ['first', 'second']) happened(`payment-${tid}`, events.authorized())
    happened('payment-first', events.captured('a', 10_000, 1000))
    happened('payment-first', events.refunded('r', 1))
    expect(listsOf('alice')).toEqual([[], ['second', 'first']])
  })

  test('are those of nobody until somebody scans or answers', () => {
    for (const tid of ['scanned', 'accepted', 'refused']) asked(tid, null)
    expect(listsOf('alice')).toEqual([[], []])
    happened('payment-scanned', { type: 'PaymentPickedUp', data: { payer: 'alice', scan: 's1' } })
    happened('payment-accepted', events.authorized())
    happened('payment-refused', events.declined())
    expect(listsOf('alice')).toEqual([['scanned'], ['refused', 'accepted']])
  })

  test('are as many of the newest that wait as are wanted, of both kinds together', () => {
    askedPermission('oldest')
    for (let count = 1; count < 100; count++) asked(`p${count}`)
    expect(listsOf('alice')[0]).toHaveLength(100)
    askedPermission('newest')
    const [waiting] = listsOf('alice')
    expect(waiting).toHaveLength(100)
    expect(waiting?.slice(0, 2)).toEqual(['newest', 'p99'])
    expect(waiting?.at(-1)).toBe('p1')
  })

  test('wait until the instant at which they expire, recorded or not', () => {
    asked('payment')
    askedPermission('consent')
    const { waiting } = payerInboxQueries(file.db)
    const at = (now: number) => waiting('alice', now, Number.MAX_SAFE_INTEGER, 10).length
    expect([at(requestEnds - 1), at(requestEnds)]).toEqual([2, 0])
    const { due } = permissionQueries(file.db)
    expect(due(requestEnds - 1, 10)).toEqual([])
    expect(due(requestEnds, 10)).toMatchObject([{ rid: 'consent' }])
  })

  test('are shown a page at a time', () => {
    for (const tid of ['a', 'b', 'c']) {
      asked(tid)
      happened(`payment-${tid}`, events.declined())
    }
    askedPermission('d')
    happened('permission-d', { type: 'PermissionExpired', data: { expiredAt: requestEnds } })
    const { history } = payerInboxQueries(file.db)
    const page = history('alice', Number.MAX_SAFE_INTEGER, 2)
    expect(page).toMatchObject([
      { kind: 'permission', id: 'd', expiresAt: requestEnds },
      { kind: 'payment', id: 'c' },
    ])
    expect(history('alice', page[1]?.position ?? 0, 2)).toMatchObject([{ id: 'b' }, { id: 'a' }])
  })
})

describe('a register', () => {
  const registered = (id: string, merchant = 'sandbox') => {
    const data = { merchant, id, name: id, type: 'store', location: null } as const
    happened(`pos-${merchant}/${id}`, { type: 'PosRegistered', data }, { merchant })
  }
  const removed = (id: string) => happened(`pos-sandbox/${id}`, { type: 'PosRemoved', data: {} })

  test('lists the entries of one merchant, newest first, a page at a time', () => {
    const { list, find, all } = posRegister.queries(file.db)
    for (const id of ['a', 'b', 'c']) registered(id)
    registered('d', 'other')
    const page = list('sandbox', Number.MAX_SAFE_INTEGER, 2)
    expect(page.map(({ data }) => data.id)).toEqual(['c', 'b'])
    expect(list('sandbox', page[1]?.position ?? 0, 2).map(({ data }) => data.id)).toEqual(['a'])
    expect(find('pos-other/d')?.data.merchant).toBe('other')
    expect(find('pos-other/a')).toBeUndefined()
    expect(all().map(({ data }) => data.id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('shows what was there from start to end of a walk over the pages exactly once, while others come and go', () => {
    const { list } = posRegister.queries(file.db)
    const staying = Array.from({ length: 12 }, (_, index) => `staying-${index}`)
    const going = Array.from({ length: 12 }, (_, index) => `going-${index}`)
    for (const [index, id] of staying.entries()) {
      registered(id)
      registered(going[index] ?? '')
    }
    let walks = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.array(fc.nat(11)), (size, changes) => {
        walks += 1
        const seen: string[] = []
        let before = Number.MAX_SAFE_INTEGER
        for (let pages = 0; ; pages++) {
          const page = list('sandbox', before, size)
          seen.push(...page.map(({ data }) => data.id))
          const last = page.at(-1)
          if (!last) break
          before = last.position
          const id = going[changes[pages] ?? 0] ?? ''
          removed(id)
          if (pages % 2 === 0) registered(id)
          registered(`new-${walks}-${pages}`)
        }
        expect(seen.filter((id) => id.startsWith('staying'))).toEqual([...staying].reverse())
        expect(new Set(seen).size).toBe(seen.length)
      }),
      { numRuns: 10 },
    )
  })
})

describe('the settlements', () => {
  const name = (serial: number) => ({ serial, settlementId: `s-${serial}` })
  const stream = 'settlement-sandbox'
  const made = (serial: number, payout: string) => {
    happened(stream, { type: 'SettlementStarted', data: { ...name(serial), dueAt: null } })
    const fees = { unsettledFeesBefore: '0', unsettledFeesAfter: '0', billed: '0' }
    const paid = { currency: 'NOK', gross: payout, net: payout, payout, invoiceId: null }
    const sums = { counters: {}, totals: [], transactionLogs: [], scopeLogs: [] }
    const payouts = [{ ...paid, ...fees }]
    const data = { ...name(serial), ...sums, payouts, payoutDay: '2026-11-23' }
    happened(stream, { type: 'SettlementMade', data })
  }
  const serials = (rows: readonly { readonly serial: number }[]) => rows.map((row) => row.serial)

  test('that are made are listed newest first, a page before one that was seen', () => {
    const { list } = settlementQueries(file.db)
    for (const serial of [1, 2, 3]) made(serial, '100')
    happened(stream, { type: 'SettlementStarted', data: { ...name(4), dueAt: null } })
    expect(serials(list('sandbox', 9, 2))).toEqual([3, 2])
    expect(serials(list('sandbox', 2, 2))).toEqual([1])
    expect(list('other', 9, 2)).toEqual([])
  })

  test('with something to pay are found until the bank was asked', () => {
    const { payable, orderedBy } = settlementQueries(file.db)
    made(1, '100')
    made(2, '0')
    made(3, '50')
    expect(serials(payable())).toEqual([1, 3])
    const order = { messageId: 'm', payoutAccount: 'NO93', payoutDay: '2026-11-23', paid: [] }
    happened(stream, { type: 'PayoutOrdered', data: { serial: 1, ...order } })
    expect(serials(payable())).toEqual([3])
    expect(serials(orderedBy('m'))).toEqual([1])
    expect(orderedBy('n')).toEqual([])
  })
})

test('the settlements to be made next are found by the one before each, and not by a look at all that are under way', () => {
  const plans = file.plansOf(() => settlementQueries(file.db), 'not exists')
  expect(plans).toHaveLength(1)
  expect(plans.flat().filter((step) => step.includes('earlier'))).toEqual([
    expect.stringMatching(/^SEARCH earlier USING INDEX sqlite_autoindex_settlements_1 \(key=\?\)/),
  ])
})

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

  test('given one that was given up, when another try that was under way arrives, then nothing is left', () => {
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
    'given a new address while a try at the old one was under way, when that %s, then the new one is tried at once',
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

  test('are tried in order: one that failed, or that the operator repeats, goes before those that came after it', () => {
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
    // All attempts are its again.
    expect(find('payment-a')?.waiting[0]).toMatchObject({ seqno: 1, attempts: 0 })
  })

  test('of scans are tried each by itself: new ones first, then whatever is due the longest', () => {
    const data = { merchant: 'sandbox', id: 's', description: null, serialNumber: null }
    const scan = { argstring: '', scannedAt: morning, payer: 'alice', tokenDigest: 'd' }
    happened('shortlink-s', { type: 'ShortlinkRegistered', data: { ...data, callbackUri: uri } })
    const scanned = (name: string) =>
      happened('scans-s', { type: 'ShortlinkScanned', data: { ...scan, scan: name } })
    const { find } = callbackQueueQueries(file.db)
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
    failed(morning + hours)
    expect([order(), row().dueAt]).toEqual([[2, 1], morning])
    failed(morning + 2 * hours)
    scanned('c')
    expect([order(), row().dueAt]).toEqual([[3, 1, 2], morning])
    failed(morning + 3 * hours)
    expect([order(), row().dueAt]).toEqual([[1, 2, 3], morning + hours])
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
    expect(plans).toHaveLength(2)
    for (const plan of plans) expect(plan.join()).toContain('callback_queue_unfinished')
  })
})
