import type { FundingSource } from '../application/funding.ts'
import { decimalsOf } from '../domain/money/currency.ts'
import { statusCodes } from '../domain/payment/status.ts'
import type { Settings } from '../infrastructure/settings.ts'

/** Maximum amount of a sandbox payer, in whole units. */
const limits: Readonly<Record<string, number>> = { bob: 1000 }

/**
 * For integration tests: refuses exactly 5007 units (insufficient funds), exactly 5008 (above a
 * limit), and more than 1000 units from bob.
 */
const sandboxFunding: FundingSource = {
  approve: async ({ payer, currency, amount }) => {
    const units = amount / 10 ** decimalsOf(currency)
    if (units === statusCodes.INSUFFICIENT_FUNDS) return statusCodes.INSUFFICIENT_FUNDS
    if (units === statusCodes.AMOUNT_LIMIT_EXCEEDED) return statusCodes.AMOUNT_LIMIT_EXCEEDED
    return units > (limits[payer] ?? Infinity) ? statusCodes.AMOUNT_LIMIT_EXCEEDED : null
  },
  cancel: async () => {},
}

/**
 * Approves everything, because no funding source is connected yet. The operator is liable for
 * payers.
 */
export const everythingFunded: FundingSource = {
  approve: async () => null,
  cancel: async () => {},
}

export const fundingOf = ({ MODE }: Pick<Settings, 'MODE'>): FundingSource =>
  MODE === 'sandbox' ? sandboxFunding : everythingFunded
