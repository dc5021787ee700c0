import { outcomeAt, type PaymentOutcome } from '../domain/payment/payment-outcome.ts'
import type { RequestedPayment } from '../domain/payment/payment-state.ts'
import { isWithdrawal, type Permissions } from '../domain/people/grant.ts'
import { permissionAt, type RequestedPermission } from '../domain/people/permission.ts'
import { streamOf } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { grants, payments, permissionRequests } from '../domain/aggregates.ts'
import { StoreUnavailable } from './event-store.ts'
import type { AsOf, Find } from './find-state.ts'
import type { Context, Handle } from './handle.ts'
import type { TokensView, ShowTokens } from './show-tokens.ts'

type Needs = {
  readonly find: Find
  /** Reads the current state, even if `find` is limited to an earlier moment. */
  readonly findNow: Find
  /** The identifier as the merchant wrote it; null once the payer is erased. */
  readonly showCustomer: (customer: string | null) => string | null
  readonly showTokens: ShowTokens
  /** Absent where only an earlier moment is read. */
  readonly recording?: {
    readonly handle: Handle
    readonly newId: () => string
    /** Whether nodes with clocks of their own write the log, too. */
    readonly isShared: boolean
  }
}

export type PaymentView = {
  readonly outcome: PaymentOutcome
  readonly customer: string | null
  readonly tokens: TokensView | null
}

export type PermissionView = RequestedPermission & {
  readonly rid: string
  readonly customer: string | null
  readonly tokens: TokensView | null
}

type Answered = {
  readonly merchant: string
  readonly payer: string | null
  readonly permissions: Permissions | null
}

const requestViews = ({ find, findNow, showCustomer, showTokens }: Needs) => {
  const tokensOf = async (
    grant: string,
    { merchant, payer, permissions }: Answered,
    at: Instant,
    asOf: AsOf,
  ): Promise<TokensView | null> => {
    if (!permissions || payer === null) return null
    const { generation, latest, revokedBy } = await find(grants, grant, asOf)
    if (revokedBy !== null) return null
    const issued = { grant, generation, permissions: latest ?? permissions }
    const view = await showTokens({ ...issued, payer, merchant, client: merchant }, at, asOf)
    // A payer who has since withdrawn consent is not shown, at any moment (interface 11.4).
    const { revokedBy: endedBy } = await findNow(grants, grant, 'log')
    const isWithdrawn = endedBy !== null && isWithdrawal(endedBy)
    return isWithdrawn ? { ...view, userInfo: null } : view
  }

  const showPayment = async (
    tid: string,
    payment: RequestedPayment,
    at: Instant,
    asOf: AsOf,
  ): Promise<PaymentView> => {
    const outcome = outcomeAt(tid, payment, at)
    const tokens = await tokensOf(streamOf(payments, tid), outcome, at, asOf)
    return { outcome, customer: showCustomer(outcome.customer), tokens }
  }

  const showPermission = async (
    rid: string,
    permission: RequestedPermission,
    at: Instant,
    asOf: AsOf,
  ): Promise<PermissionView> => {
    const { merchant, customer } = permission.request
    const { payer, permissions } = permission
    const answered = { merchant, payer, permissions }
    const tokens = await tokensOf(streamOf(permissionRequests, rid), answered, at, asOf)
    return { ...permissionAt(permission, at), rid, customer: showCustomer(customer), tokens }
  }

  return { showPayment, showPermission }
}

/**
 * Records an expiry before a merchant is told of it: a node whose clock is behind would still take
 * the payer's answer. @throws StoreUnavailable if the log takes nothing, but may of other nodes
 */
const recordExpiry =
  ({ recording }: Pick<Needs, 'recording'>) =>
  async <State extends { readonly status: string }>(
    state: State & { readonly expiresAt: Instant },
    merchant: string,
    at: Instant,
    record: (handle: Handle, context: Context) => Promise<{ readonly state: unknown }>,
  ): Promise<State> => {
    const isOver = state.status !== 'pending' && state.status !== 'auth'
    if (!recording || isOver || at < state.expiresAt) return state
    const context = { at, merchant, actor: 'daybook', correlationId: recording.newId() }
    try {
      return (await record(recording.handle, context)).state as State
    } catch (error) {
      if (error instanceof StoreUnavailable && !recording.isShared) return state
      throw error
    }
  }

/**
 * Requests as their merchant sees them: customers as the merchant named them, and the current
 * tokens of a valid grant. Callbacks show them as of their event.
 */
export const merchantViews = (needs: Needs) => {
  const { find, showCustomer } = needs
  const views = requestViews(needs)
  const recorded = recordExpiry(needs)

  const findPayment = async (
    merchant: string,
    tid: string,
  ): Promise<RequestedPayment | undefined> => {
    const payment = await find(payments, tid, 'log')
    const isOwn = payment.status !== 'unrequested' && payment.request.merchant === merchant
    return isOwn ? payment : undefined
  }

  return {
    ...views,
    findOutcome: async (merchant: string, tid: string, at: Instant) => {
      const found = await findPayment(merchant, tid)
      if (!found) return undefined
      const payment = await recorded(found, merchant, at, (handle, context) =>
        handle(payments, tid, { type: 'ExpirePayment', at }, context),
      )
      return views.showPayment(tid, payment, at, 'log')
    },
    findRequested: async (merchant: string, tid: string) => {
      const payment = await findPayment(merchant, tid)
      return payment && { payment, customer: showCustomer(payment.request.customer) }
    },
    findPermission: async (merchant: string, rid: string, at: Instant) => {
      const permission = await find(permissionRequests, rid, 'log')
      if (permission.status === 'unrequested' || permission.request.merchant !== merchant)
        return undefined
      const current = await recorded(permission, merchant, at, (handle, context) =>
        handle(permissionRequests, rid, { type: 'ExpirePermission', at }, context),
      )
      return views.showPermission(rid, current, at, 'log')
    },
  }
}

export type MerchantViews = ReturnType<typeof merchantViews>
