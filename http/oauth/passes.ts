import { authorizations } from '../../domain/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import type { Find } from '../../application/find-state.ts'
import type { Authorization, RequestedAuthorization } from '../../domain/people/authorization.ts'
import {
  isSignedInFor,
  type AuthorizationRequest,
} from '../../domain/people/authorization-events.ts'
import { isPartOf, type Scope } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Call } from '../call.ts'
import type { Throttle } from '../payer/fields.ts'
import type { SessionNeeds, SignedIn, Visitor } from '../payer/session.ts'
import type { ValidRequest } from './request.ts'

export type AuthorizationPassNeeds = Pick<
  SessionNeeds,
  'derive' | 'newToken' | 'digestOf' | 'isSameText'
> & {
  readonly handle: Handle
  readonly find: Find
  readonly subjectOf: (payer: string, merchant: string) => string
  readonly findConsent: (
    payer: string,
    client: string,
  ) => { readonly scope: readonly Scope[] } | undefined
  /** Counts passes by payer, and of browsers in which nobody is signed in by address: each is recorded for good. */
  readonly passThrottle: Throttle
}

const codePattern = /^([0-9a-f]{32})([\w-]{43})$/

/** The records of passes through the authorization endpoint. */
export const authorizationPasses = (needs: AuthorizationPassNeeds) => {
  const { handle, find, derive, newToken, digestOf, isSameText, passThrottle } = needs

  /**
   * The record of a pass through the authorization endpoint is named after the browser, the request and a number that
   * makes each pass another one: the same page always means the same record, and nobody can guess one.
   */
  const nameOf = ({ browser }: Visitor, query: URLSearchParams) => {
    const id = Buffer.from(derive('authorization', browser, query.toString()), 'base64url')
      .toString('hex')
      .slice(0, 32)
    // From the login cookie with a salt of its own, so that the code on the screen is not the cookie.
    return { id, qr: id + derive('qr', browser, id) }
  }

  /** The request as one pass of several. */
  const numbered = (query: URLSearchParams): URLSearchParams => {
    const pass = new URLSearchParams(query)
    if (!pass.has('attempt')) pass.set('attempt', newToken().token)
    return pass
  }

  const recorded = (found: Authorization): RequestedAuthorization =>
    found.status === 'unrequested' ? refuse('resource_is_unknown') : found

  /** The request once more, as another pass: the one before has been answered, or was open for too long. */
  const renewed = (query: URLSearchParams): URLSearchParams => {
    const pass = new URLSearchParams(query)
    pass.delete('attempt')
    return numbered(pass)
  }

  /** The same pass, or another one when the time of this one is over. */
  const current = async (
    visitor: Visitor,
    query: URLSearchParams,
    at: Instant,
  ): Promise<URLSearchParams> => {
    if (!query.has('attempt')) return numbered(query)
    const found = await find(authorizations, nameOf(visitor, query).id)
    return found.status === 'requested' && at >= found.expiresAt ? renewed(query) : query
  }

  /** Records a pass, unless it was before. */
  const record = async (
    visitor: Visitor,
    query: URLSearchParams,
    { request }: ValidRequest,
    call: Call,
  ) => {
    const { id, qr } = nameOf(visitor, query)
    const { at, requestId: correlationId } = call
    if ((await find(authorizations, id)).status === 'unrequested') {
      const { session } = visitor
      const whose = session ? `payer:${session.payer}` : (call.request.remoteAddress ?? '')
      passThrottle.check(whose, at)
      passThrottle.count(whose, at)
    }
    const browserHash = digestOf(visitor.browser)
    const qrHash = digestOf(qr.slice(32))
    const { state } = await handle(
      authorizations,
      id,
      { type: 'RequestAuthorization', at, request, browserHash, qrHash },
      { at, merchant: request.merchant, actor: `client:${request.client}`, correlationId },
    )
    return { id, known: recorded(state) }
  }

  /** Whether a payer is the one whom the application has asked for, if it has. */
  const isMeant = (payer: string, { subject, merchant }: AuthorizationRequest): boolean =>
    subject === undefined || subject === needs.subjectOf(payer, merchant)

  /** Whether who is signed in need not sign in again for a request, nor as somebody else. */
  const canBeAnsweredBy = (
    { payer, startedAt }: SignedIn['session'],
    request: AuthorizationRequest,
  ): boolean => isSignedInFor(request, startedAt) && isMeant(payer, request)

  /** Whether a payer has consented to all of it before, and has not taken it back (decisions 11). */
  const isCovered = (payer: string, { client, scope }: AuthorizationRequest): boolean => {
    const consent = needs.findConsent(payer, client)
    return consent !== undefined && isPartOf(scope, consent.scope)
  }

  /** A pass that was recorded. @throws Refusal */
  const findRecorded = async (id: string) => recorded(await find(authorizations, id))

  /** The pass whose code a phone has scanned. @throws Refusal */
  const ofCode = async (code: string) => {
    const [, id = '', secret = ''] = codePattern.exec(code) ?? refuse('resource_is_unknown')
    const known = await findRecorded(id)
    return isSameText(digestOf(secret), known.qrHash)
      ? { id, known }
      : refuse('resource_is_unknown')
  }

  return {
    ...{ nameOf, numbered, renewed, current, record, isMeant, canBeAnsweredBy, isCovered },
    find: findRecorded,
    ofCode,
  }
}

export type AuthorizationPasses = ReturnType<typeof authorizationPasses>
