import { expect, test } from 'vitest'
import { isReadable, withoutBlanks } from '../../domain/blanks.ts'
import { phoneDigits } from '../../application/people.ts'
import { compactFieldOf } from '../../http/forms.ts'
import { rateOfPercent } from '../../web/operator/fee-form.tsx'
import { typedAmount } from '../../web/ui/money.tsx'
import { readAccount } from '../../infrastructure/bank/payout-account.ts'
import { checkName } from '../../cli/arguments.ts'

/** Blanks of each width, a tab, and characters that nobody sees. */
const pasted = [' ', '\u00a0', '\u202f', '\u2009', '\t', '\u200b', '\u200d', '\u2060', '\ufeff']

test.each(pasted)('a pasted %j in a number, code or amount does not count', (blank) => {
  const between = (text: string): string => blank + [...text].join(blank) + blank
  expect(withoutBlanks(between('ABC'))).toBe('ABC')
  expect(readAccount(between('NO9386011117947'))).toBe('NO9386011117947')
  expect(phoneDigits(between('+4799999901'))).toBe('4799999901')
  expect(compactFieldOf({ code: between('123456') }, 'code')).toBe('123456')
  expect(typedAmount(between('1234,50'), 'NOK')).toBe(123450)
  expect(rateOfPercent(between('1,5%'))).toBe('0.015')
})

test.each(['Shop\nB', 'Shop\u202eB', 'Sh\u200bop'])(
  'the name %j is refused on the command line as in forms',
  (name) => {
    expect(isReadable(name)).toBe(false)
    expect(() => checkName(name)).toThrow('a name is one line')
  },
)
