import { authorizations } from '../../domain/aggregates.ts'
import type { RequestedAuthorization } from '../../domain/people/authorization.ts'
import { Refusal, refuse, type RefusalCode } from '../../domain/refusal.ts'
import { contextOfPayer, targetOf, type Call } from '../../http/call.ts'
import { RequestError } from '../../http/errors.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { OutdatedForm } from '../ui/anti-forgery.ts'
import { enterMissing, type EnteringNeeds } from '../payer/scope-choice.tsx'
import { permissionForm } from '../payer/page-documentation.ts'
import { tickedScope } from '../payer/permission.tsx'
import type { SessionNeeds, SignedIn, Visitor, Visits } from '../payer/session.tsx'
import type { RawReply } from '../../http/route.ts'
import type { answerForm } from './authorization-parameters.ts'
import type { AuthorizationPages } from './pages.tsx'
import type { AuthorizationPasses } from './pending-authorizations.ts'
import type { Throttle } from '../ui/fields.tsx'
import { compareNumber, type OriginNeeds, redirectTo } from './request.tsx'
import type { Handle } from '../../application/handle.ts'

type LeavingNeeds = {
  readonly handle: Handle
  readonly issuer: () => string
  readonly codeOf: (authorization: string) => { readonly code: string; readonly hash: string }
}

/** Redirects back to the application, with what it was answered. */
const leaving = (needs: LeavingNeeds, visits: Visits) => {
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

export type AuthorizationAnswerNeeds = Pick<SessionNeeds, 'digestOf' | 'isSameText' | 'caughtUp'> &
  EnteringNeeds &
  OriginNeeds &
  LeavingNeeds & {
    /** Wrong numbers for each pass. */
    readonly compareTries: Throttle
    readonly findApplication: (clientId: string) => object | undefined
  }

const addressOf = ({ request }: Call): string => request.remoteAddress ?? ''

const pathOf = (query: URLSearchParams): string => `/oauth2/auth?${query.toString()}`

/** The page to answer again; in a browser as a new pass, since this one may have ended. */
export const pageOf = (form: FormOf<typeof answerForm>): string => {
  const qr = fieldOf(form, 'qr')
  if (qr !== '') return `/oauth2/pre_auth?${new URLSearchParams({ qr }).toString()}`
  const query = new URLSearchParams(fieldOf(form, 'asked'))
  if (query.size === 0) return '/payer/'
  query.delete('attempt')
  query.set('again', '')
  return pathOf(query)
}

const overCodes: readonly RefusalCode[] = [
  'authorization_is_answered',
  'authorization_is_expired',
  'sign_in_is_too_old',
]

const isOver = (error: unknown): boolean =>
  error instanceof Refusal && overCodes.includes(error.code)

/**
 * A payer's answer to an application: in the redirected browser, or on the phone that scanned its
 * code.
 */
export const authorizationAnswers = (
  needs: AuthorizationAnswerNeeds,
  visits: Visits,
  passes: AuthorizationPasses,
  pages: AuthorizationPages,
) => {
  const { handle } = needs
  const enter = enterMissing(needs)
  const { leave, leaveDenied, leaveAtOnce } = leaving(needs, visits)

  /** Few tries: two digits could be guessed. @throws Refusal sign_in_is_locked */
  const isCompared = (id: string, typed: string, { at }: Call): boolean => {
    needs.compareTries.check(id, at)
    const isRight = needs.isSameText(typed, compareNumber(needs, id))
    if (!isRight) needs.compareTries.count(id, at)
    return isRight
  }

  /** On the phone that scanned another screen's code. */
  const scanned = async (visitor: SignedIn, qr: string, call: Call): Promise<RawReply> => {
    const { id, known } = await passes.ofCode(qr)
    if (known.status !== 'requested') return refuse('authorization_is_answered')
    if (call.at >= known.expiresAt) return refuse('authorization_is_expired')
    return passes.canBeAnsweredBy(visitor.session, known.request)
      ? pages.forConsent(visitor, id, known, { qr, address: addressOf(call) })
      : visits.go(visitor, `/payer/sign-in?again&next=${encodeURIComponent(targetOf(call))}`)
  }

  const decide = async (
    visitor: SignedIn,
    id: string,
    known: RequestedAuthorization,
    channel: 'browser' | 'phone',
    call: Call<unknown, unknown, FormOf<typeof answerForm>>,
  ): Promise<RequestedAuthorization> => {
    const { payer, startedAt: signedInAt } = visitor.session
    const { at } = call
    const context = contextOfPayer(call, payer, known.request.merchant)
    const { data: decision } = permissionForm.shape.decision.safeParse(
      fieldOf(call.body, 'decision'),
    )
    if (decision === undefined) throw new RequestError(400, visitor.texts.wrongInput)
    // Another payer than requested may have signed in meanwhile; grant nothing.
    if (decision === 'allow' && !passes.isMeant(payer, known.request)) throw new OutdatedForm()
    const scope = tickedScope(call.body)
    await passes.settle(id, call)
    const { state } = await handle(
      authorizations,
      id,
      decision === 'allow'
        ? { type: 'AllowAuthorization', at, payer, scope, signedInAt, channel }
        : { type: 'DenyAuthorization', payer },
      context,
    )
    return state.status === 'unrequested' ? known : state
  }

  /** Stores the entered values; returns the page again when one is invalid. */
  const askAgain = async (
    visitor: SignedIn,
    id: string,
    known: RequestedAuthorization,
    call: Call<unknown, unknown, FormOf<typeof answerForm>>,
  ): Promise<RawReply | undefined> => {
    const { body } = call
    if (fieldOf(body, 'decision') !== 'allow' || known.status !== 'requested') return undefined
    const { payer } = visitor.session
    const wrong = await enter(visitor, body, tickedScope(body), contextOfPayer(call, payer))
    const [qr, asked] = [fieldOf(body, 'qr'), fieldOf(body, 'asked')]
    const cameFrom = qr === '' ? { asked } : { qr, address: addressOf(call) }
    return wrong && pages.forConsent(visitor, id, known, cameFrom, wrong)
  }

  /** In the browser that the application redirected here. */
  const answerInBrowser = async (
    visitor: Visitor,
    decider: SignedIn | undefined,
    id: string,
    known: RequestedAuthorization,
    call: Call<unknown, unknown, FormOf<typeof answerForm>>,
  ): Promise<RawReply> => {
    const [asked, decision] = [fieldOf(call.body, 'asked'), fieldOf(call.body, 'decision')]
    // Others may know the id; only the redirected browser goes back to the application.
    if (!needs.isSameText(needs.digestOf(visitor.browser), known.browserHash))
      throw asked === '' ? new RequestError(403, visitor.texts.problem403) : new OutdatedForm()
    try {
      if (decider) {
        const again = await askAgain(decider, id, known, call)
        return (
          again ??
          (await leave(visitor, id, await decide(decider, id, known, 'browser', call), call))
        )
      }
      if (known.status !== 'requested') return await leave(visitor, id, known, call)
      // The phone has not answered yet; show the page with its code.
      return asked === ''
        ? refuse('authorization_is_not_allowed')
        : visits.go(visitor, pathOf(new URLSearchParams(asked)))
    } catch (error) {
      if (!isOver(error) || asked === '') throw error
      // The application still waits for an answer.
      return decision === 'deny'
        ? leaveDenied(visitor, known)
        : visits.go(visitor, pageOf(call.body))
    }
  }

  const answer = async (
    visitor: Visitor,
    call: Call<{ readonly request_id: string }, unknown, FormOf<typeof answerForm>>,
  ): Promise<RawReply> => {
    const { request_id: id } = call.params
    const { session } = visitor
    const isDecision = fieldOf(call.body, 'decision') !== ''
    // The form belongs to a session that has ended: decide nothing.
    if (isDecision && !session) return visits.go(visitor, pageOf(call.body))
    const decider = isDecision && session ? { ...visitor, session } : undefined
    visits.checkForm(call, visitor, call.body, isDecision ? 'payer' : 'browser')
    const known = await passes.find(id)
    await needs.caughtUp()
    if (!needs.findApplication(known.request.client))
      return visits.problem(visitor, { status: 400, text: visitor.texts.unknownClient }, call)
    const qr = fieldOf(call.body, 'qr')
    if (qr !== '') {
      const scanned = await passes.ofCode(qr)
      if (scanned.id !== id) return refuse('resource_is_unknown')
      if (!decider) throw new RequestError(400, visitor.texts.wrongInput)
      const isAllowed = fieldOf(call.body, 'decision') === 'allow' && known.status === 'requested'
      if (isAllowed && !isCompared(id, fieldOf(call.body, 'compare'), call)) {
        const { wrongCompare } = visitor.texts
        const cameFrom = { qr, address: addressOf(call) }
        return pages.forConsent(decider, id, known, cameFrom, undefined, wrongCompare)
      }
      const again = await askAgain(decider, id, known, call)
      return again ?? pages.afterAnswer(visitor, await decide(decider, id, known, 'phone', call))
    }
    return answerInBrowser(visitor, decider, id, known, call)
  }

  return { scanned, answer, leaveAtOnce }
}
