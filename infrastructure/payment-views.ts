import { payments, permissionRequests } from '../application/aggregates.ts'
import { streamOf, type AsOf } from '../application/handle.ts'
import type { ShownTokens, ShowTokens } from '../application/show-tokens.ts'
import type { Permissions } from '../domain/grant.ts'
import type { Instant } from '../domain/time.ts'
import { asOf, type PaymentOutcome } from '../projections/payment-outcome.ts'
import type { PaymentRequestRow } from '../projections/payment-requests.ts'
import type { PermissionOutcome } from '../projections/permissions.ts'
import type { Core } from './core.ts'

type Needs = Pick<
  Core,
  'outcomeOf' | 'requests' | 'permissions' | 'grants' | 'payers' | 'readModels'
> & { readonly showTokens: ShowTokens }

type Answered = {
  readonly merchant: string
  readonly payer: string | null
  readonly permissions: Permissions | null
}

/**
 * Requests as their merchant sees them: customers are shown as they were named, and granted tokens are made again. What
 * a callback tells is as of its event; what is read later is as of then, so revoked tokens are gone.
 */
export const merchantViews = (needs: Needs) => {
  const { outcomeOf, requests, permissions, grants, payers, readModels } = needs

  const shownTokens = async (
    grant: string,
    { merchant, payer, permissions }: Answered,
    at: Instant,
    asOf?: AsOf,
  ): Promise<ShownTokens | null> =>
    permissions && payer !== null
      ? needs.showTokens(
          { grant, generation: 0, payer, merchant, client: merchant, permissions },
          at,
          asOf,
        )
      : null

  const isLive = (grant: string): boolean => grants.find(grant)?.isRevoked === false

  const payment = async (row: PaymentOutcome, at: Instant, asOf?: AsOf) => ({
    row,
    customer: payers.show(row.customer),
    shown: row.permissions && (await shownTokens(streamOf(payments, row.tid), row, at, asOf)),
  })

  const permission = async (row: PermissionOutcome, at: Instant, asOf?: AsOf) => ({
    ...row,
    request: { ...row.request, customer: payers.show(row.request.customer) },
    shown: await shownTokens(streamOf(permissionRequests, row.rid), row, at, asOf),
  })

  const request = (row: PaymentRequestRow): PaymentRequestRow => ({
    ...row,
    request: { ...row.request, customer: payers.show(row.request.customer) },
  })

  return {
    payment,
    permission,
    outcomes: {
      find: async (merchant: string, tid: string, now: Instant) => {
        const stream = streamOf(payments, tid)
        const row = await outcomeOf(stream)
        if (row?.merchant !== merchant) return undefined
        // Whether a grant has been revoked is read there.
        if (row.permissions) await readModels.caughtUp()
        const shown = await payment(asOf(now, row), now)
        return !shown.shown || isLive(stream) ? shown : { ...shown, shown: null }
      },
    },
    requests: {
      find: (merchant: string, stream: string) => {
        const row = requests.find(merchant, stream)
        return row && request(row)
      },
    },
    findPermission: async (merchant: string, rid: string, at: Instant) => {
      const row = permissions.find(rid, at)
      if (row?.merchant !== merchant) return undefined
      const shown = await permission(row, at)
      return !shown.shown || isLive(streamOf(permissionRequests, rid))
        ? shown
        : { ...shown, shown: null }
    },
  }
}

export type MerchantViews = ReturnType<typeof merchantViews>
