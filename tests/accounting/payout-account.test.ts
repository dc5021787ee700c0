import { expect, test } from 'vitest'
import { isIban, readAccount } from '../../infrastructure/bank/payout-account.ts'

test.each([
  ['NO9386011117947', true],
  ['GB82WEST12345698765432', true],
  ['DE89370400440532013000', true],
  ['GL8964710001000206', true],
  // Wrong check digits.
  ['NO9386011117948', false],
  // Correct check digits.
  ['NO37860111179470', false],
  ['DE583704004405320130AB', false],
  ['SE85500000000583982574667', false],
  ['ZZ1812345678901234', false],
  // Norway also has its own check digit.
  ['NO6686011117948', false],
  ['86011117947', false],
])('%s is an IBAN as its country writes them: %s', (text, expected) => {
  expect(isIban(text)).toBe(expected)
})

test.each([
  ['no93 8601 1117 947', 'NO9386011117947'],
  ['8601.11.17947', '86011117947'],
  ['NO37 8601 1117 9470', undefined],
  ['no', undefined],
])('%s is kept as %s', (text, kept) => {
  expect(readAccount(text)).toBe(kept)
})
