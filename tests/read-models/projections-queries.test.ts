import { describe, expect, test } from 'vitest'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import { payerInboxQueries } from '../../projections/payer-inbox.ts'
import { paymentQueries } from '../../projections/payments.ts'
import { permissionQueries } from '../../projections/permissions.ts'
import { authorizationEnds, events, request, requestEnds } from '../domain/payments.ts'
import { foldedFile } from './folded-file.ts'

const file = foldedFile()

const { happened } = file

const requested = (tid: string, changes: Partial<PaymentRequest> = {}, expiresAt = requestEnds) =>
  happened(`payment-${tid}`, events.requested({ posTid: tid, ...changes }, null, expiresAt))

describe('the payments', () => {
  test('that are due to expire are listed earliest first, until it is recorded', () => {
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

  test('are payments and permissions as they came, then as they were answered', () => {
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

  test('have no payer until somebody scans or answers', () => {
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
