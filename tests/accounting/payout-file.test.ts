import fc from 'fast-check'
import { expect, test } from 'vitest'
import { payoutFile } from '../../infrastructure/bank/payout-file.ts'
import { problemsOfPayoutFile } from './payout-file-structure.ts'

const payout = {
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

test('whatever a business is called, the file for the bank is well-formed', () => {
  fc.assert(
    fc.property(name, (businessName) => {
      const xml = payoutFile(debtor, [{ ...payout, businessName }], run)
      expect(xml).not.toMatch(forbidden)
      expect(problemsOfPayoutFile(xml)).toEqual([])
    }),
  )
})
