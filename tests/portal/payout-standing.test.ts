import { expect, test } from 'vitest'
import type { PayoutStatus } from '../../domain/accounting/payout-state.ts'
import { standingOf, whenText } from '../../web/portal/payout-standing.tsx'

const shop = {
  ...{ merchant: 'shop', name: 'Shop', currency: 'NOK', country: 'NO' },
  ...{ callbackUri: null, isDisabled: false, hasSignedUp: false, waits: false },
  reason: null,
}
const before = { paid: null, returned: null, orders: [], currency: 'NOK', amount: '100' }

/** The status of a payout of 5 March at a moment, and its text. */
const told = (status: PayoutStatus, at: string, account: string | null, timeZone: string) => {
  const state = { ...before, status, day: '2027-03-05' }
  const needs = {
    canOrderPayouts: true,
    settlementAccounts: { find: () => ({ payoutAccount: account }) },
  }
  const visitor = { shop: { ...shop, timeZone }, at: Date.parse(at) }
  const standing = standingOf(needs, visitor, state)
  return `${standing}: ${whenText(standing, state, { language: 'en', locale: 'en-GB' })}`
}

const account = 'NO9386011117947'
const oslo = 'Europe/Oslo'

test.each([
  ['due', '2027-03-05T22:59:00Z', account, oslo, 'due: 5 Mar 2027'],
  ['due', '2027-03-05T23:00:00Z', account, oslo, 'overdue: since 5 Mar 2027'],
  ['due', '2027-03-05T23:00:00Z', account, 'UTC', 'due: 5 Mar 2027'],
  ['due', '2027-03-01T12:00:00Z', null, oslo, 'unaccounted: due 5 Mar 2027'],
  ['due', '2027-04-01T12:00:00Z', null, oslo, 'unaccounted: due 5 Mar 2027'],
  ['ordered', '2027-03-05T12:00:00Z', account, oslo, 'ordered: Expected 5 Mar 2027'],
  [
    ...(['ordered', '2027-03-06T12:00:00Z', account, oslo] as const),
    'late: Expected 5 Mar 2027; no statement of the bank has it yet',
  ],
  ['paid', '2027-04-01T12:00:00Z', null, oslo, 'paid: 5 Mar 2027'],
  ['returned', '2027-04-01T12:00:00Z', null, oslo, 'returned: 5 Mar 2027'],
] as const)('a payout that is %s stands at %s, to %s, in %s, as %s', (status, at, to, zone, text) =>
  expect(told(status, at, to, zone)).toBe(text),
)
