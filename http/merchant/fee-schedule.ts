import { z } from 'zod'
import { feeSchedules, merchants } from '../../domain/aggregates.ts'
import type { Find } from '../../application/find-state.ts'
import { termsInForce, type FeeSchedule } from '../../domain/accounting/fees.ts'
import { vatRateOf } from '../../domain/accounting/taxcodes.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { type Route, routesOf } from '../route.ts'
import { dateTime, money, moneyIn } from '../wire.ts'

const rate = z.string().meta({ description: 'A part of one, such as 0.009.' })

const scheduleReply = z
  .object({
    currency: z.string(),
    valid_from: dateTime,
    in_force: z.boolean().meta({ description: 'Whether it is charged now.' }),
    transaction_rate: rate,
    transaction_fixed: money.meta({ description: 'For each capture.' }),
    interchange_rate: rate.meta({ description: 'Of the gross of each credit capture.' }),
    permission_fixed: money.meta({ description: 'For each answered permission request.' }),
    settlement_fixed: money.meta({ description: 'For each settlement.' }),
    refunds_return_fees: z.boolean(),
    taxcode: z.string(),
    vat: z
      .object({ transaction: rate, permission: rate, settlement: rate })
      .meta({ description: 'By the taxcode, on fees of each kind.' }),
  })
  .meta({ id: 'FeeSchedule' })

type FeeScheduleNeeds = { readonly find: Find }

const view = (schedule: FeeSchedule, isInForce: boolean): z.input<typeof scheduleReply> => {
  const { currency, taxcode, vat } = schedule
  const amount = moneyIn(currency)
  return {
    currency,
    valid_from: schedule.from,
    in_force: isInForce,
    transaction_rate: schedule.transactionRate,
    transaction_fixed: amount(schedule.transactionFixed),
    interchange_rate: schedule.interchangeRate,
    permission_fixed: amount(schedule.permissionFixed),
    settlement_fixed: amount(schedule.settlementFixed),
    refunds_return_fees: schedule.refundsReturnFees,
    taxcode,
    vat: {
      transaction: vatRateOf('transaction', taxcode, vat),
      permission: vatRateOf('permission', taxcode, vat),
      settlement: vatRateOf('settlement', taxcode, vat),
    },
  }
}

const { get } = routesOf({ access: 'SECRET', group: 'Settlement' })

/** A merchant's fees over time (interface 9). */
export const feeScheduleRoute = ({ find }: FeeScheduleNeeds): Route =>
  get(`${merchantPrefix}/fee_schedule/`, {
    summary: 'Read what the service charges',
    description:
      'The newest first; where nothing is set, nothing is charged. In a currency without a ' +
      'schedule the rates of that of the merchant hold, and no fixed parts.',
    reply: z.object({ fee_schedules: z.array(scheduleReply) }).meta({ id: 'FeeSchedules' }),
    handle: async (call) => {
      const { merchant } = callerOf(call)
      const [schedules, entry] = await Promise.all([
        find(feeSchedules, merchant, 'log'),
        find(merchants, merchant),
      ])
      const own = entry.status === 'present' ? entry.data.currency : ''
      const inForce = (one: FeeSchedule): boolean =>
        termsInForce(schedules, one.currency, own, call.at) === one
      const newest = schedules.toReversed().toSorted((one, other) => other.from - one.from)
      return { fee_schedules: newest.map((one) => view(one, inForce(one))) }
    },
  })
