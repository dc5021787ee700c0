import type { PermissionRequest } from '../domain/people/permission.ts'
import type { Scope } from '../domain/people/scope.ts'
import { refuse } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { merchants, permissionRequests } from '../domain/aggregates.ts'
import type { FindTerms } from './fee-book.ts'
import { refuseDisabled } from './merchants.ts'
import { dryRun } from './find-state.ts'
import { isPosKnown } from './request-payment.ts'
import { issueTokens, type Tokens } from './tokens.ts'
import type { Context, Deciding } from './handle.ts'
import type { Identified, Identify } from './identify-customer.ts'

type RequestNeeds = Deciding & {
  readonly ridOf: (merchant: string, posId: string, posTid: string) => string
  readonly identify: Identify
}

/** Shortlinks name no payer. */
const payerIn = ({ names }: Identified): string | null =>
  typeof names === 'object' && 'id' in names ? names.id : null

/** A permission request always names a customer. */
type CustomerPermissionRequest = PermissionRequest & { readonly customer: string }

/** Returns the rid, the same for a repeated request. */
export const requestPermission =
  ({ handle, find, ridOf, identify }: RequestNeeds) =>
  async (permission: CustomerPermissionRequest, context: Context): Promise<string> => {
    const { merchant, posId, posTid, customer } = permission
    const rid = ridOf(merchant, posId, posTid)
    const { at } = context
    const posIsKnown = await isPosKnown({ find }, merchant, posId)
    const shop = await find(merchants, merchant)
    const { currency } = shop.status === 'present' ? shop.data : refuse('merchant_is_unknown')
    const commandFor = (stored: string, payer: string | null) => {
      const request = { ...permission, customer: stored }
      return {
        type: 'RequestPermission',
        at,
        request,
        facts: { payer, posIsKnown, currency },
      } as const
    }
    // A new person has no earlier request to repeat.
    const admit = () => dryRun(find, permissionRequests, rid, commandFor(customer, null))
    const identified = await identify(customer, merchant, at, admit)
    const command = commandFor(identified.stored, payerIn(identified))
    await handle(permissionRequests, rid, command, context)
    return rid
  }

type AnswerNeeds = Deciding & {
  readonly tokens: Tokens
  readonly findTerms: FindTerms
}

/** Either answer is charged under the current terms. */
export const answerPermission = ({ handle, find, tokens, findTerms }: AnswerNeeds) => {
  const requested = async (rid: string, at: Instant) => {
    const permission = await find(permissionRequests, rid)
    if (permission.status === 'unrequested') return refuse('resource_is_unknown')
    const { request, currency } = permission
    return { request, terms: await findTerms(request.merchant, currency, at) }
  }
  return {
    /** Grants the scope; null grants everything requested. */
    grantPermission: async (
      rid: string,
      payer: string,
      scope: readonly Scope[] | null,
      context: Context,
    ): Promise<void> => {
      const { at } = context
      const { request, terms } = await requested(rid, at)
      await refuseDisabled(find, request.merchant)
      const permissions = {
        scope: [...(scope ?? request.scope)],
        tokens: issueTokens(tokens, streamOf(permissionRequests, rid), 0, at),
      }
      const command = { type: 'GrantPermission', at, payer, permissions, terms } as const
      await handle(permissionRequests, rid, command, context)
    },
    declinePermission: async (rid: string, payer: string, context: Context): Promise<void> => {
      const { at } = context
      const { terms } = await requested(rid, at)
      const command = { type: 'DeclinePermission', at, payer, terms } as const
      await handle(permissionRequests, rid, command, context)
    },
  }
}
