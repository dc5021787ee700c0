import type { FundingSource } from '../application/funding.ts'
import { decimalsOf } from '../domain/money/currency.ts'
import { statusCodes } from '../domain/payment/status.ts'
import type { Settings } from './settings.ts'

/** Largest amount that a sandbox payer is good for, in whole units of any currency. */
const limits: Readonly<Record<string, number>> = { bob: 1000 }

/**
 * A funding source to rehearse with. It approves, except: exactly 5007 units are refused for insufficient funds, exactly
 * 5008 as above a limit, and bob is good for 1000 units at most.
 */
const sandboxFunding: FundingSource = {
  approve: async ({ payer, currency, amount }) => {
    const units = amount / 10 ** decimalsOf(currency)
    if (units === statusCodes.INSUFFICIENT_FUNDS) return statusCodes.INSUFFICIENT_FUNDS
    if (units === statusCodes.AMOUNT_LIMIT_EXCEEDED) return statusCodes.AMOUNT_LIMIT_EXCEEDED
    return units > (limits[payer] ?? Infinity) ? statusCodes.AMOUNT_LIMIT_EXCEEDED : null
  },
  // It holds nothing.
  cancel: async () => {},
}

/** Approves everything: whoever runs the service has no funding source connected yet, and answers for payers otherwise. */
const everythingFunded: FundingSource = {
  approve: async () => null,
  cancel: async () => {},
}

export const fundingOf = ({ MODE }: Pick<Settings, 'MODE'>): FundingSource =>
  MODE === 'sandbox' ? sandboxFunding : everythingFunded
