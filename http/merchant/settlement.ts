import { z } from 'zod'
import { frequencies } from '../../domain/calendar.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { listRoute } from '../lists.ts'
import type { Route } from '../route.ts'
import { routesOf } from '../routes-of.ts'
import {
  settlementListPath,
  settlementPath,
  settlementReply,
  settlementView,
} from './settlement-reply.ts'

const accountReply = z
  .object({
    id: z.string(),
    currency: z.string(),
    payout_account: z.string().nullable().meta({ description: 'IBAN or national number.' }),
    frequency: z
      .enum(frequencies)
      .meta({ description: 'On weekdays, on Mondays, or on the first weekday of a month.' }),
    start_of_day: z.string().meta({ description: 'hh:mm, in the time zone of the merchant.' }),
    payout_delay: z.int().meta({ description: 'Weekdays from the settlement to the payout.' }),
  })
  .meta({ id: 'SettlementAccount' })

export type SettlementNeeds = Signing &
  Pick<Queries['accounting'], 'settlements' | 'settlementAccounts'> & {
    readonly caughtUp: () => Promise<void>
  }

export const settlementGroup = 'Settlement'
const { get } = routesOf({ access: 'SECRET', group: settlementGroup })
export const settlementParams = z.object({ settlement_id: z.string().regex(/^[1-9]\d{0,9}$/) })

export const lastSettlementRoute = ({ links, caughtUp, settlements }: SettlementNeeds): Route =>
  get(`${merchantPrefix}/last_settlement/`, {
    summary: 'Go to the newest settlement',
    success: 'found',
    errors: { 404: 'There is none yet.' },
    handle: async (call) => {
      await caughtUp()
      const [last] = settlements.list(callerOf(call).merchant, Number.MAX_SAFE_INTEGER, 1)
      const { serial } = last ?? refuse('resource_is_unknown')
      return { location: links.full(settlementPath(serial)) }
    },
  })

/** Settlements and the account they are paid to (interface 10). */
export const settlementRoutes = (needs: SettlementNeeds): Route[] => {
  const { links, caughtUp, settlements } = needs

  return [
    listRoute({
      path: settlementListPath,
      access: 'SECRET',
      group: settlementGroup,
      summary: 'List the settlements',
      links,
      caughtUp,
      list: (merchant, before, limit) =>
        settlements.list(merchant, before, limit).map(({ serial }) => ({ position: serial })),
      pathOf: ({ position: serial }) => settlementPath(serial),
    }),
    get(`${settlementListPath}:settlement_id/`, {
      summary: 'Read a settlement',
      params: settlementParams,
      reply: settlementReply,
      handle: async (call) => {
        await caughtUp()
        const row = settlements.find(callerOf(call).merchant, Number(call.params.settlement_id))
        if (!row?.made) return refuse('resource_is_unknown')
        return settlementView(needs, row, row.made, call.at, row.payouts)
      },
    }),
    get(`${merchantPrefix}/settlement_account/:settlement_account_id/`, {
      summary: 'Read a settlement account',
      params: z.object({ settlement_account_id: z.string() }),
      reply: accountReply,
      handle: async (call) => {
        await caughtUp()
        const row = needs.settlementAccounts.find(callerOf(call).merchant)
        if (row?.id !== call.params.settlement_account_id) return refuse('resource_is_unknown')
        const { id, currency, payoutAccount, frequency, startOfDay, payoutDelay } = row
        return {
          ...{ id, currency, frequency },
          payout_account: payoutAccount,
          start_of_day: startOfDay,
          payout_delay: payoutDelay,
        }
      },
    }),
  ]
}
