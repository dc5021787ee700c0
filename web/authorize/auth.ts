import { z } from 'zod'
import { searchOf, type Call } from '../../http/call.ts'
import { queryOf } from '../../http/forms.ts'
import { phoneDigits } from '../../application/people.ts'
import { ofForm, ofPage } from '../payer/pages.ts'
import type { SessionNeeds, SignedIn, Visitor, Visits } from '../payer/session.tsx'
import type { SignInForm } from '../payer/sign-in-form.tsx'
import { route, type RawReply, type Route, routesOf } from '../../http/route.ts'
import { authorizationAnswers, pageOf, type AuthorizationAnswerNeeds } from './answer.ts'
import { authorizationAsks } from './authorization-parameters.ts'
import { otherScreenRoutes, type OtherScreenNeeds } from './other-screen.ts'
import { authorizationPages, type AuthorizationPageNeeds } from './pages.tsx'
import { authorizationPasses, type AuthorizationPassNeeds } from './pending-authorizations.ts'
import {
  readAuthorizationRequest,
  redirectTo,
  type RefusedReason,
  type ValidRequest,
  type ReadRequest,
} from './request.tsx'

type AuthorizationNeeds = SessionNeeds &
  AuthorizationPageNeeds &
  AuthorizationPassNeeds &
  AuthorizationAnswerNeeds &
  OtherScreenNeeds & {
    /** The subject of our ID token, expired or not; undefined for any other text. */
    readonly subjectOfIdToken: (token: string) => Promise<string | undefined>
  }

const group = 'OAuth'

const { get } = routesOf({ ...ofPage, group })

const form = { ...ofForm(true), group } as const

const idParams = z.object({ request_id: z.string().regex(/^[0-9a-f]{32}$/) })

/** The authorization endpoint: sign-in, consent, and redirect (RFC 6749, 3.1). */
export const authorizationRoutes = (
  needs: AuthorizationNeeds,
  visits: Visits,
  signIn: SignInForm,
): Route[] => {
  const passes = authorizationPasses(needs)
  const pages = authorizationPages(needs, visits, signIn)
  const { scanned, answer, leaveAtOnce } = authorizationAnswers(needs, visits, passes, pages)

  const read = async (call: Call): Promise<ReadRequest> => {
    await needs.caughtUp()
    const query = searchOf(call)
    const hint = query.get('id_token_hint') || null
    return readAuthorizationRequest(query, {
      at: call.at,
      issuer: needs.issuer(),
      findApplication: needs.findApplication,
      subject: hint && ((await needs.subjectOfIdToken(hint)) ?? 'unknown'),
    })
  }

  const refused = (visitor: Visitor, call: Call, reason: RefusedReason, status: 200 | 400 = 400) =>
    visits.problem(visitor, { status, text: visitor.texts[reason] }, call)

  /** Continues with a valid request; answers an invalid one. */
  const withRequest = async (
    visitor: Visitor,
    call: Call,
    work: (valid: ValidRequest) => Promise<RawReply>,
  ): Promise<RawReply> => {
    const result = await read(call)
    if (result.result === 'refuse') return refused(visitor, call, result.reason)
    if (result.result === 'redirect') return visits.go(visitor, result.location)
    return work(result)
  }

  /** Whether the payer matches `login_hint`; a hint that is no phone number is ignored. */
  const matchesLoginHint = async (payer: string, { loginHint }: ValidRequest): Promise<boolean> => {
    const phone = phoneDigits(loginHint ?? '')
    return phone === undefined || (await needs.findProfile(payer))?.phone === phone
  }

  /** Without a page (`prompt=none`). */
  const answerWithoutPage = async (
    visitor: Visitor,
    query: URLSearchParams,
    valid: ValidRequest,
    call: Call,
  ): Promise<RawReply> => {
    const { redirectUri, state } = valid.request
    const { session } = visitor
    const redirectError = (error: string) =>
      visits.go(visitor, redirectTo(redirectUri, { error, state, iss: needs.issuer() }))
    if (!session || !passes.canBeAnsweredBy(session, valid.request))
      return redirectError('login_required')
    if (!(await matchesLoginHint(session.payer, valid))) return redirectError('login_required')
    if (!passes.isCovered(session.payer, valid.request)) return redirectError('consent_required')
    const { id, known } = await passes.record(visitor, query, valid, call)
    return leaveAtOnce({ ...visitor, session }, id, known, call)
  }

  const start = (visitor: Visitor, call: Call): Promise<RawReply> =>
    withRequest(visitor, call, async (valid) => {
      const query = await passes.current(visitor, searchOf(call), call.at)
      const { session } = visitor
      if (valid.prompt.includes('none')) return answerWithoutPage(visitor, query, valid, call)
      // A required new sign-in counts from the recorded start.
      const { request } =
        valid.request.signedInSince === undefined
          ? valid
          : (await passes.record(visitor, query, valid, call)).known
      const known =
        session && passes.canBeAnsweredBy(session, request) ? { ...visitor, session } : undefined
      const isToChoose = valid.prompt.includes('select_account')
      if (known && !isToChoose && (await matchesLoginHint(known.session.payer, valid)))
        return visits.go(visitor, `/oauth2/pre_auth?${query.toString()}`)
      const phone = phoneDigits(valid.loginHint ?? '')
      const step = { step: 'pin', ...(phone !== undefined && { phone: `+${phone}` }) } as const
      return pages.toSignIn(visitor, passes.nameOf(visitor, query).id, query, valid, step, known)
    })

  /** Asks for consent, unless an earlier one covers the request. */
  const ask = async (visitor: SignedIn, valid: ValidRequest, call: Call): Promise<RawReply> => {
    const query = passes.numbered(searchOf(call))
    const { id, known } = await passes.record(visitor, query, valid, call)
    const { session } = visitor
    if (known.status !== 'requested' || call.at >= known.expiresAt)
      return visits.go(visitor, `/oauth2/pre_auth?${passes.renewed(query).toString()}`)
    if (!passes.canBeAnsweredBy(session, known.request))
      return visits.go(visitor, `/oauth2/auth?${query.toString()}`)
    return !valid.prompt.includes('consent') && passes.isCovered(session.payer, known.request)
      ? leaveAtOnce(visitor, id, known, call)
      : pages.forConsent(visitor, id, known, { asked: query.toString() })
  }

  return [
    get('/oauth2/auth', {
      summary: 'Authorization request: sign-in and consent',
      description:
        'RFC 6749, 4.1.1, with PKCE (RFC 7636), and OpenID Connect Core, 3.1.2.1. None of the ' +
        'parameters may be repeated; others are ignored. What must not be redirected is answered ' +
        'with a page.',
      ...authorizationAsks.request,
      handle: (call) => visits.page(call, (visitor) => start(visitor, call)),
    }),
    route({
      ...form,
      path: '/oauth2/auth',
      summary: 'Sign in on the way through the authorization endpoint',
      ...authorizationAsks.signIn,
      handle: (call) =>
        visits.page(call, async (visitor) => {
          // The request may arrive as a form (OpenID Connect Core, 3.1.2.1).
          const { client_id, response_type, csrf } = call.body
          if ((client_id ?? response_type) !== undefined && csrf === undefined)
            return visits.go(visitor, `/oauth2/auth?${queryOf(call.body).toString()}`)
          return withRequest(visitor, call, async (valid) => {
            const query = await passes.current(visitor, searchOf(call), call.at)
            // Record the pass before a required new sign-in.
            if (valid.request.signedInSince !== undefined)
              await passes.record(visitor, query, valid, call)
            const step = await signIn.advance(visitor, call.body, call)
            return step.step === 'done'
              ? visits.go(visitor, `/oauth2/pre_auth?${query.toString()}`, step.cookies)
              : pages.toSignIn(visitor, passes.nameOf(visitor, query).id, query, valid, step)
          })
        }),
    }),
    get('/oauth2/pre_auth', {
      summary: 'Records an authorization request and asks the payer, who is signed in, for consent',
      ...authorizationAsks.consent,
      handle: (call) =>
        visits.signedInPage(call, async (visitor) => {
          const qr = searchOf(call).get('qr')
          if (qr !== null) return scanned(visitor, qr, call)
          return withRequest(visitor, call, (valid) => ask(visitor, valid, call))
        }),
    }),
    route({
      ...form,
      path: '/oauth2/post_auth/:request_id',
      summary: 'Takes the payer’s answer, and sends the browser back to the application',
      params: idParams,
      ...authorizationAsks.answer,
      handle: (call) => visits.page(call, (visitor) => answer(visitor, call), pageOf(call.body)),
    }),
    ...otherScreenRoutes(needs, visits, passes, withRequest),
    get('/oauth2/error', {
      summary: 'The page for requests that must not be redirected',
      ...authorizationAsks.error,
      handle: (call) =>
        visits.page(call, (visitor) => {
          const isRedirect = searchOf(call).get('reason') === 'unknown_redirect'
          return refused(visitor, call, isRedirect ? 'unknownRedirect' : 'unknownClient', 200)
        }),
    }),
  ]
}
