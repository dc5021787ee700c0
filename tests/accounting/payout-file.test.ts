import fc from 'fast-check'
import { expect, test } from 'vitest'
import { payoutFile } from '../../infrastructure/bank/payout-file.ts'
import { problemsOfPayoutFile } from './payout-file-structure.ts'

const payout = {
  businessName: 'Harbour Café',
  merchant: 'harbour',
  settlementId: 'HARBOR-2026-11-26-1',
  endToEndId: 'HARBOR-2026-11-26-1-NOK',
  currency: 'NOK',
  amount: '88320',
  payoutAccount: 'NO9386011117947',
  payoutDay: '2026-11-27',
}
const debtor = { name: 'Daybook', account: 'NO9386011117947', bic: null }
const run = { messageId: 'run-1', at: Date.UTC(2026, 10, 26), timeZone: 'UTC' }

/**
 * Characters that XML 1.0 (2.2) forbids, and unpaired surrogates, which cannot be encoded in UTF-8.
 */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

const name = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\uFFFE', '\uFFFF', '\uD800', '\0', '\u0085', '<', '&'),
  ),
  maxLength: 200,
})

/** The one text of an element of that name. */
const textIn = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''

test.each([
  ['Kaffebønna Ærø & Ås', 'Kaffebonna Aero + As'],
  ['Müller Straße', 'Muller Strasse'],
  ['Кофейня', 'Kofeynya'],
  ['北京烤鸭', 'BeiJingKaoYa'],
  ['Καφενείο', 'Kafeneio'],
  ['Pizza 🍕 Roma 🇮🇹', 'Pizza Roma'],
  ['“Smak” – Bar', 'Smak - Bar'],
  ['Bar_Nr#1;', 'Bar Nr 1'],
  // Without a letter there is no name: the merchant's id stands in its place.
  ['🍕🍕', 'harbour'],
  ['---', 'harbour'],
])('a business called %s is %s for the bank', (businessName, expected) => {
  const file = payoutFile(debtor, [{ ...payout, businessName }], run)
  const [, creditor = ''] = file.split('<Cdtr>')
  expect(textIn(creditor, 'Nm')).toBe(expected)
})

test("whatever names there are, the file has at most 140 of the bank's letters for each", () => {
  fc.assert(
    fc.property(name, name, (businessName, merchant) => {
      const file = payoutFile({ ...debtor, name: merchant }, [{ ...payout, businessName }], run)
      const names = [...file.matchAll(/<Nm>([^<]*)<\/Nm>/g)].map(([, text = '']) => text)
      expect(names).toHaveLength(3)
      for (const text of names) expect(text).toMatch(/^[A-Za-z0-9/?:().,'+ -]{1,140}$/)
    }),
  )
})

test("no day of execution lies before the file's own, by the clock of the bank", () => {
  const zones = ['UTC', 'Europe/Oslo', 'America/Los_Angeles', 'Pacific/Kiritimati']
  const hours = fc.integer({ min: 0, max: 72 })
  fc.assert(
    fc.property(hours, fc.constantFrom(...zones), (hour, timeZone) => {
      const at = Date.UTC(2026, 10, 26, hour)
      const file = payoutFile(debtor, [payout], { ...run, at, timeZone })
      const there = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at)
      expect(textIn(file, 'CreDtTm').slice(0, 10)).toBe(there)
      const expected = payout.payoutDay < there ? there : payout.payoutDay
      expect(textIn(file, 'Dt')).toBe(expected)
    }),
  )
})

test('whatever a business is called, the file for the bank is well-formed', () => {
  fc.assert(
    fc.property(name, (businessName) => {
      const xml = payoutFile(debtor, [{ ...payout, businessName }], run)
      expect(xml).not.toMatch(forbidden)
      expect(problemsOfPayoutFile(xml)).toEqual([])
    }),
  )
})
