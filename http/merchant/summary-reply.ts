import { z } from 'zod'
import {
  type Counters,
  feeTypes,
  type Total,
  totalGross,
  totalNet,
} from '../../domain/accounting/totals.ts'
import { money, moneyIn } from '../wire.ts'

const fee = z
  .object({ type: z.enum(feeTypes), amount: money })
  .meta({ id: 'Fee', description: 'A fee that is not zero; interchange among them.' })

/** Totals of lines per currency and tax code. */
export const summaryReply = z
  .object({
    currency: z.string(),
    taxcode: z.string(),
    gross: money,
    amount_total: money,
    additional_amount_total: money,
    fees: z.array(fee),
    interchange: money.meta({ description: 'The same figure as among `fees`.' }),
    net: money.meta({ description: 'Gross less all fees.' }),
  })
  .meta({ id: 'Summary' })

export const summaryView = (total: Total): z.input<typeof summaryReply> => {
  const { currency, taxcode, fees } = total
  const amount = moneyIn(currency)
  return {
    currency,
    taxcode,
    gross: amount(totalGross(total)),
    amount_total: amount(total.amount),
    additional_amount_total: amount(total.additionalAmount),
    fees: feeTypes.flatMap((type) => {
      const sum = fees[type]
      return sum === undefined ? [] : [{ type, amount: amount(sum) }]
    }),
    interchange: amount(fees.interchange ?? '0'),
    net: amount(totalNet(total)),
  }
}

const count = z.int().nonnegative()

/** Each counts the log lines of one action. */
export const countersReply = {
  payment_request_count: count,
  payment_auth_count: count,
  payment_expire_count: count.meta({
    description: 'Without authorisations of which a part was captured: these are released.',
  }),
  payment_capture_count: count,
  payment_refund_count: count,
  payment_release_count: count.meta({
    description: 'With what is left of partly captured authorisations when these expire.',
  }),
  payment_fail_count: count,
  payment_abort_count: count,
  permission_request_count: count,
  permission_answered_count: count,
  permission_fail_count: count,
}

export const countersView = (counters: Counters) => ({
  payment_request_count: counters.request ?? 0,
  payment_auth_count: counters.auth ?? 0,
  payment_expire_count: counters.expire ?? 0,
  payment_capture_count: counters.capture ?? 0,
  payment_refund_count: counters.refund ?? 0,
  payment_release_count: counters.release ?? 0,
  payment_fail_count: counters.fail ?? 0,
  payment_abort_count: counters.abort ?? 0,
  permission_request_count: counters.permission_request ?? 0,
  permission_answered_count: counters.permission_answered ?? 0,
  permission_fail_count: counters.permission_fail ?? 0,
})
