import { isReadable, showsSomething } from '../domain/blanks.ts'
import { phoneDigits } from '../application/people.ts'
import { merchants } from '../domain/aggregates.ts'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { ratePattern } from '../domain/money/rate.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'

/** Format of the ids of merchants and integrators. */
export const idPattern = /^[a-zA-Z0-9_-]{1,64}$/

/** Collects the values of a repeatable option. */
export const collect = (value: string, earlier: readonly string[] = []): string[] => [
  ...earlier,
  value,
]

/** @throws OperatorError if it is not a rate */
export const rateOf = (text: string): string =>
  ratePattern.test(text) ? text : fail(`${text} must be a rate from 0 to 1, such as 0.009`)

/** @throws OperatorError if it is not a phone number */
export const phoneOf = (text: string): string =>
  phoneDigits(text) ?? fail('a phone number has 8 to 15 digits')

/** Names appear on pages and in payout files. */
export const checkName = (name: string | undefined): void => {
  if (name === undefined) return
  if (!showsSomething(name)) fail('a name has at least one non-blank character')
  if (!isReadable(name)) fail('a name is one line, without characters that nobody sees')
}

/** @throws OperatorError if there is no such merchant */
export const presentMerchant = async ({ find }: Core, id: string): Promise<MerchantData> => {
  const entry = await find(merchants, id)
  return entry.status === 'present' ? entry.data : fail(`no merchant ${id}`)
}
