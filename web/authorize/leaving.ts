import type { Handle } from '../../application/handle.ts'
import { authorizations } from '../../domain/aggregates.ts'
import type { RequestedAuthorization } from '../../domain/people/authorization.ts'
import { refuse } from '../../domain/refusal.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import type { SignedIn, Visitor, Visits } from '../payer/session.ts'
import type { RawReply } from '../../http/route.ts'
import { redirectTo } from './request.ts'

export type LeavingNeeds = {
  readonly handle: Handle
  readonly issuer: () => string
  readonly codeOf: (authorization: string) => { readonly code: string; readonly hash: string }
}

/** Redirects back to the application, with what it was answered. */
export const leaving = (needs: LeavingNeeds, visits: Visits) => {
  const leaveDenied = (
    visitor: Visitor,
    { request: { redirectUri, state } }: RequestedAuthorization,
  ): RawReply => {
    const answer = { error: 'access_denied', state, iss: needs.issuer() }
    return visits.go(visitor, redirectTo(redirectUri, answer))
  }

  /** Redirects with a code or a denial (RFC 6749, 4.1.2; RFC 9207). */
  const leave = async (visitor: Visitor, id: string, known: RequestedAuthorization, call: Call) => {
    if (known.status === 'denied') return leaveDenied(visitor, known)
    const { redirectUri, state, merchant } = known.request
    const iss = needs.issuer()
    // A reused code revokes its tokens (RFC 6749, 4.1.2), so never redirect with a used one.
    if (known.permissions) return refuse('authorization_is_answered')
    const { at } = call
    const { code, hash: codeHash } = needs.codeOf(id)
    const context = contextOfPayer(call, known.payer ?? '', merchant)
    await needs.handle(authorizations, id, { type: 'IssueCode', at, codeHash }, context)
    return visits.go(visitor, redirectTo(redirectUri, { code, state, iss }))
  }

  /** Redirects without asking: an earlier consent covers the request. */
  const leaveAtOnce = async (
    visitor: SignedIn,
    id: string,
    known: RequestedAuthorization,
    call: Call,
  ) => {
    const { payer, startedAt: signedInAt } = visitor.session
    const { scope, merchant } = known.request
    const { at } = call
    const answer = { payer, scope, signedInAt, channel: 'browser', isStanding: true } as const
    const { state } = await needs.handle(
      authorizations,
      id,
      { type: 'AllowAuthorization', at, ...answer },
      contextOfPayer(call, payer, merchant),
    )
    return leave(visitor, id, state.status === 'unrequested' ? known : state, call)
  }

  return { leave, leaveDenied, leaveAtOnce }
}
