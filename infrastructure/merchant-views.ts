import { grants, payments, permissionRequests } from '../application/aggregates.ts'
import type { AsOf } from '../application/handle.ts'
import type { ShownTokens, ShowTokens } from '../application/show-tokens.ts'
import type { Permissions } from '../domain/people/grant.ts'
import { streamOf } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import type { PaymentOutcome } from '../projections/payment-outcome-state.ts'
import { asOf as outcomeAt } from '../projections/payment-outcome.ts'
import type { PermissionOutcome } from '../projections/permissions.ts'
import type { Core } from './core.ts'

type Needs = Pick<Core, 'find' | 'outcomeOf' | 'permissions' | 'payers'> & {
  readonly showTokens: ShowTokens
}

type Answered = {
  readonly merchant: string
  readonly payer: string | null
  readonly permissions: Permissions | null
}

/**
 * Requests as their merchant sees them: customers are shown as they were named, and granted tokens are made again, those
 * of the latest generation, as long as the grant stands. What a callback tells is as of its event.
 */
export const merchantViews = (needs: Needs) => {
  const { find, outcomeOf, payers } = needs

  const shownTokens = async (
    grant: string,
    { merchant, payer, permissions }: Answered,
    at: Instant,
    asOf: AsOf,
  ): Promise<ShownTokens | null> => {
    if (!permissions || payer === null) return null
    const { generation, latest, revokedBy } = await find(grants, grant, asOf)
    if (revokedBy !== null) return null
    const issued = { grant, generation, permissions: latest ?? permissions }
    return needs.showTokens({ ...issued, payer, merchant, client: merchant }, at, asOf)
  }

  const showPayment = async (row: PaymentOutcome, at: Instant, asOf: AsOf) => ({
    outcome: row,
    customer: payers.show(row.customer),
    tokens: row.permissions && (await shownTokens(streamOf(payments, row.tid), row, at, asOf)),
  })

  const showPermission = async (row: PermissionOutcome, at: Instant, asOf: AsOf) => ({
    ...row,
    request: { ...row.request, customer: payers.show(row.request.customer) },
    tokens: await shownTokens(streamOf(permissionRequests, row.rid), row, at, asOf),
  })

  return {
    showPayment,
    showPermission,
    outcomes: {
      find: async (merchant: string, tid: string, now: Instant) => {
        const row = await outcomeOf(streamOf(payments, tid))
        return row?.merchant === merchant ? showPayment(outcomeAt(now, row), now, 'log') : undefined
      },
    },
    findRequested: async (merchant: string, tid: string) => {
      const payment = await find(payments, tid, 'log')
      return payment.status !== 'unrequested' && payment.request.merchant === merchant
        ? { payment, customer: payers.show(payment.request.customer) }
        : undefined
    },
    findPermission: async (merchant: string, rid: string, at: Instant) => {
      const row = needs.permissions.find(rid, at)
      return row?.merchant === merchant ? showPermission(row, at, 'log') : undefined
    },
  }
}
