import { expect, test } from 'vitest'
import { noFees } from '../../domain/accounting/fees.ts'
import type { DomainEvent, Recorded } from '../../domain/events.ts'
import { factBook } from '../../audit/rules/fact-book.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { morning } from './payments.ts'

const minute = 60_000

/** The fact book after a log of these events. */
const bookOf = (...log: readonly (readonly [stream: string, at: number, event: DomainEvent])[]) => {
  const book = factBook()
  for (const [index, [stream, at, event]] of log.entries()) {
    const about = { merchant: 'shop', actor: 'operator', correlationId: 'c', causationId: null }
    const place = { id: `e${index}`, stream, revision: 0, position: index + 1 }
    book.read({ ...event, ...place, metadata: { ...about, at, schema: 1 } } as Recorded)
  }
  return book
}

const fee = (transactionFixed: number): DomainEvent => ({
  type: 'FeesScheduled',
  data: { ...noFees, from: 0, currency: 'NOK', transactionFixed },
})
const shop = newMerchant({
  ...{ id: 'shop', businessName: 'Shop', currency: 'NOK', lookupIds: [], netmask: null },
})
const registered: DomainEvent = { type: 'MerchantRegistered', data: shop }

test('of fees that were set a moment before both may have been known, else only the last', () => {
  const book = bookOf(
    ['merchant-shop', morning, registered],
    ['fees-shop', morning, fee(100)],
    ['fees-shop', morning + 60 * minute, fee(200)],
  )
  const known = (at: number) =>
    book
      .factsAt(at)
      .termsOf('shop', 'NOK')
      .map(({ transactionFixed }) => transactionFixed)
  expect(known(morning + 60 * minute + 1)).toEqual([200, 100])
  expect(known(morning + 62 * minute)).toEqual([200])
})

test('a POS that was removed a moment before may have been known, and none that never was', () => {
  const data = {
    merchant: 'shop',
    id: 'till',
    name: 'Till',
    type: 'store',
    location: null,
  } as const
  const book = bookOf(
    ['pos-shop/till', morning, { type: 'PosRegistered', data }],
    ['pos-shop/till', morning + 60 * minute, { type: 'PosRemoved', data: {} }],
  )
  const isKnown = (at: number, till = 'till') => book.factsAt(at).posIsKnown('shop', till)
  expect(isKnown(morning + 30 * minute)).toBe(true)
  expect(isKnown(morning + 60 * minute + 1)).toBe(true)
  expect(isKnown(morning + 62 * minute)).toBe(false)
  expect(isKnown(morning, 'other')).toBe(false)
})

test('a ledger is open between its registration and its end, and the default one always', () => {
  const data = { merchant: 'shop', id: 'bar', currency: 'NOK', description: null }
  const book = bookOf(
    ['ledger-shop/bar', morning, { type: 'LedgerRegistered', data }],
    ['ledger-shop/bar', morning + 60 * minute, { type: 'LedgerDisabled', data: {} }],
  )
  const isOpen = (at: number, ledger = 'bar') => book.factsAt(at).ledgerIsOpen('shop', ledger)
  expect(isOpen(morning + 30 * minute)).toBe(true)
  expect(isOpen(morning + 62 * minute)).toBe(false)
  expect(isOpen(morning + 62 * minute, 'default')).toBe(true)
  expect(isOpen(morning, 'other')).toBe(false)
})
