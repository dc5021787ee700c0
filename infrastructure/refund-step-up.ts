import { parseAmount } from '../domain/money/money.ts'
import type { Settings } from './settings.ts'

/** For currencies that the setting does not name. */
const usualLimit = '1000'

/** The amount above which a refund in the portal asks for a code. */
export const refundCodeAbove =
  ({ REFUND_STEP_UP_AMOUNT }: Pick<Settings, 'REFUND_STEP_UP_AMOUNT'>) =>
  (currency: string): number =>
    REFUND_STEP_UP_AMOUNT?.[currency] ?? parseAmount(usualLimit, currency)
