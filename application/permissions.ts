import type { PermissionRequest } from '../domain/people/permission.ts'
import type { Scope } from '../domain/people/scope.ts'
import { refuse } from '../domain/refusal.ts'
import { streamOf, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { merchants, permissionRequests, pointsOfSale } from '../domain/aggregates.ts'
import type { FindTerms } from './fee-book.ts'
import { dryRun, findRechecked, isPresent } from './find-rechecked.ts'
import { issueTokens, type Tokens } from './grants.ts'
import type { Context, Find, Handle } from './handle.ts'
import type { Identified, Identify } from './identify-customer.ts'

type RequestNeeds = {
  readonly handle: Handle
  readonly find: Find
  readonly ridOf: (merchant: string, posId: string, posTid: string) => string
  readonly identify: Identify
}

/** A code that somebody may scan some day names nobody who could be asked. */
const payerIn = ({ names }: Identified): string | null =>
  typeof names === 'object' && 'id' in names ? names.id : null

/** What a merchant asks of a payer whom it names: of nobody nothing can be asked. */
export type CustomerPermissionRequest = PermissionRequest & { readonly customer: string }

/** A merchant asks for permissions; answers the rid, the same one for the same request. */
export const requestPermission =
  ({ handle, find, ridOf, identify }: RequestNeeds) =>
  async (asked: CustomerPermissionRequest, context: Context): Promise<string> => {
    const { merchant, posId, posTid, customer } = asked
    const rid = ridOf(merchant, posId, posTid)
    const { at } = context
    const pos = await findRechecked(find, pointsOfSale, within(merchant, posId), isPresent)
    const posIsKnown = isPresent(pos)
    const shop = await find(merchants, merchant)
    const { currency } = shop.status === 'present' ? shop.data : refuse('merchant_is_unknown')
    const commandFor = (stored: string, payer: string | null) => {
      const request = { ...asked, customer: stored }
      return {
        type: 'RequestPermission',
        at,
        request,
        facts: { payer, posIsKnown, currency },
      } as const
    }
    // Somebody new is no payer, and has no earlier request that this one could repeat.
    const admit = () => dryRun(find, permissionRequests, rid, commandFor(customer, null))
    const identified = await identify(customer, merchant, at, admit)
    const command = commandFor(identified.stored, payerIn(identified))
    await handle(permissionRequests, rid, command, context)
    return rid
  }

type AnswerNeeds = {
  readonly handle: Handle
  readonly find: Find
  readonly tokens: Tokens
  readonly findTerms: FindTerms
}

/** The payer answers; either way it is charged for, by the terms of that moment. */
export const answerPermission = ({ handle, find, tokens, findTerms }: AnswerNeeds) => {
  const requested = async (rid: string, at: Instant) => {
    const permission = await find(permissionRequests, rid)
    if (permission.status === 'unrequested') return refuse('resource_is_unknown')
    const { request, currency } = permission
    return { request, terms: await findTerms(request.merchant, currency, at) }
  }
  return {
    /** All that was asked for is granted, or a part of it. */
    grantPermission: async (
      rid: string,
      payer: string,
      scope: readonly Scope[] | null,
      context: Context,
    ): Promise<void> => {
      const { at } = context
      const { request, terms } = await requested(rid, at)
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
