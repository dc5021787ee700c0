// @module-tag long
import { expect, test } from 'vitest'
import { payoutFile } from '../../infrastructure/bank/payout-file.ts'
import { checkCamtWorlds, checkPayoutWorlds, checkReportWorlds } from './file-worlds.ts'
import { testValid, validator, whyNot } from './schemas.ts'

const validate = validator()
const few = 25

testValid('payout files of any world pass the schemas of ISO 20022 and of SEPA', () => {
  checkPayoutWorlds(validate, few)
})

test('bank files of versions 02 to 08 are read as they say', () => {
  checkCamtWorlds(whyNot === undefined ? validate : undefined, few)
})

test('status reports pass the schema of ISO 20022, and refuse what they say', () => {
  checkReportWorlds(whyNot === undefined ? validate : undefined, 4 * few)
})

const payout = {
  ...{ businessName: 'Kafé', merchant: 'cafe', currency: 'NOK', amount: '1' },
  ...{ settlementId: 'HARBOR-2026-11-26-1', payoutAccount: 'NO9386011117947' },
  payoutDay: '2026-11-27',
}
const run = { messageId: 'DAYBOOK-1', at: Date.UTC(2026, 10, 26), timeZone: 'UTC' }
const debtor = { name: 'Daybook', account: 'NO9386011117947', bic: null }

testValid('a file of 3,000 payouts passes, with each of them once', () => {
  const payouts = Array.from({ length: 3_000 }, (_, index) => ({
    ...payout,
    endToEndId: `HARBOR-2026-11-26-${index + 1}-NOK`,
  }))
  const file = payoutFile(debtor, payouts, run)
  expect(validate('pain001', [file])).toEqual([])
  expect(new Set(file.match(/<EndToEndId>[^<]*/g)).size).toBe(3_000)
  expect(file).toContain('<CtrlSum>30</CtrlSum>')
})

testValid('a file with one fault does not pass', () => {
  const file = payoutFile(debtor, [{ ...payout, endToEndId: 'x' }], run)
  const faults = [
    ['<PmtMtd>TRF</PmtMtd>', '<PmtMtd>TRX</PmtMtd>'],
    ['<InstdAmt Ccy="NOK">0.01', '<InstdAmt Ccy="NOK">-0.01'],
    ['<Cd>SUPP</Cd>', '<Cd>SUPPLY</Cd>'],
  ] as const
  for (const [was, is] of faults) {
    expect(file).toContain(was)
    expect(validate('pain001', [file.replace(was, is)])).not.toEqual([])
  }
})
