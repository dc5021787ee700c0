import { html } from 'hono/html'
import { z } from 'zod'
import { authorizations } from '../application/aggregates.ts'
import { streamOf, type Find, type Handle } from '../application/handle.ts'
import type { RequestedAuthorization } from '../domain/authorization.ts'
import { refuse } from '../domain/refusal.ts'
import type { Links } from './addresses.ts'
import { RequestError } from './errors.ts'
import { changesReply, type Watch } from './event-stream.ts'
import type { KnownApplication } from './oauth-client.ts'
import { readAuthorizationRequest, redirectTo, type ReadRequest } from './oauth-request.ts'
import type { Html } from './page.ts'
import { decisionButtons, scopeChoice, tickedScope } from './payer-permission.ts'
import { contextOfPayer, type SignInForm } from './payer-sign-in.ts'
import {
  anyForm,
  fieldOf,
  hiddenFields,
  type Form,
  type SessionNeeds,
  type SignedIn,
  type Visitor,
  type Visits,
} from './payer-session.ts'
import { route, searchOf, type Call, type RawReply, type Route } from './route.ts'

export type AuthorizationNeeds = SessionNeeds & {
  readonly handle: Handle
  readonly find: Find
  readonly links: Links
  readonly issuer: () => string
  readonly findApplication: (clientId: string) => KnownApplication | undefined
  readonly shopName: (merchant: string) => string
  /** The code of an authorisation, and what is stored of it. */
  readonly codeOf: (authorization: string) => { readonly code: string; readonly hash: string }
  readonly qrImage: { readonly svg: (text: string) => Promise<string> }
  readonly watch: Watch
}

type Fine = Extract<ReadRequest, { result: 'fine' }>
type Known = RequestedAuthorization

const group = 'OAuth'
const pageTypes = ['text/html']
const qrPattern = /^([0-9a-f]{32})([\w-]{43})$/
const idParams = z.object({ request_id: z.string().regex(/^[0-9a-f]{32}$/) })

/** The authorization endpoint: sign-in, consent, and the way back to the application (RFC 6749, 3.1). */
export const authorizationRoutes = (
  needs: AuthorizationNeeds,
  visits: Visits,
  signIn: SignInForm,
): Route[] => {
  const { handle, find, derive } = needs

  const read = async (query: URLSearchParams): Promise<ReadRequest> => {
    await needs.caughtUp()
    return readAuthorizationRequest(query, {
      issuer: needs.issuer(),
      findApplication: needs.findApplication,
    })
  }

  const refused = (visitor: Visitor, reason: 'unknownClient' | 'unknownRedirect') =>
    visits.problem(visitor, 400, visitor.texts[reason])

  /** Goes on with a request that is fine, and answers all others as they must be. */
  const withRequest = async (
    visitor: Visitor,
    call: Call,
    work: (fine: Fine) => Promise<RawReply>,
  ): Promise<RawReply> => {
    const result = await read(searchOf(call))
    if (result.result === 'refuse') return refused(visitor, result.reason)
    if (result.result === 'redirect') return visits.go(visitor, result.location)
    return work(result)
  }

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

  const withAttempt = (query: URLSearchParams): URLSearchParams => {
    const numbered = new URLSearchParams(query)
    if (!numbered.has('attempt')) numbered.set('attempt', needs.newToken().token.slice(0, 22))
    return numbered
  }

  const record = async (
    visitor: Visitor,
    query: URLSearchParams,
    { request }: Fine,
    call: Call,
  ): Promise<string> => {
    const { id, qr } = nameOf(visitor, query)
    const { at, requestId: correlationId } = call
    const browserHash = needs.digestOf(visitor.browser)
    const qrHash = needs.digestOf(qr.slice(32))
    await handle(
      authorizations,
      id,
      { type: 'RequestAuthorization', at, request, browserHash, qrHash },
      { at, merchant: request.merchant, actor: `client:${request.client}`, correlationId },
    )
    return id
  }

  const findKnown = async (id: string): Promise<Known> => {
    const found = await find(authorizations, id)
    return found.status === 'unrequested' ? refuse('resource_is_unknown') : found
  }

  /** Back to the application with a code, or with the payer's refusal (RFC 6749, 4.1.2; RFC 9207). */
  const leave = async (visitor: Visitor, id: string, known: Known, call: Call) => {
    const { redirectUri, state, merchant } = known.request
    const iss = needs.issuer()
    if (known.status === 'denied') {
      const told = { error: 'access_denied', state, iss }
      return visits.go(visitor, redirectTo(redirectUri, told))
    }
    const { at } = call
    const { code, hash: codeHash } = needs.codeOf(id)
    const context = contextOfPayer(call, known.payer ?? '', merchant)
    await handle(authorizations, id, { type: 'IssueCode', at, codeHash }, context)
    return visits.go(visitor, redirectTo(redirectUri, { code, state, iss }))
  }

  type Step = Parameters<SignInForm['formOf']>[1]

  const signInPage = (
    visitor: Visitor,
    query: URLSearchParams,
    { request, application }: Fine,
    step: Step,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const { id } = nameOf(visitor, query)
    const asked = query.toString()
    return visits.show(visitor, {
      title: texts.signIn,
      formTarget: request.redirectUri,
      body: html`<div class="card wide" data-live="/oauth2/events?${asked}">
        <section>
          <h1>${application.name} <span class="quiet">${texts.asks}</span></h1>
          <p class="quiet">${needs.shopName(request.merchant)}</p>
          ${signIn.formOf(visitor, step, `/oauth2/auth?${asked}`)}
        </section>
        <section class="computer">
          <div class="qr">
            <h2>${texts.scanSignIn}</h2>
            <img
              src="/oauth2/qr_image?${asked}"
              alt="${texts.scanSignIn}"
              width="240"
              height="240"
              loading="lazy"
            />
            <p class="quiet small">${texts.live}</p>
          </div>
          <form method="post" action="/oauth2/post_auth/${id}" data-continue>
            ${hiddenFields({ csrf })}
            <div class="actions"><button class="second">${texts.continueHere}</button></div>
          </form>
        </section>
      </div>`,
    })
  }

  const consentPage = (
    visitor: SignedIn,
    id: string,
    { request }: Pick<Known, 'request'>,
    qr: string | undefined,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const name = needs.findApplication(request.client)?.name ?? request.client
    const { protocol, host } = new URL(request.redirectUri)
    const warning: Html | '' =
      qr === undefined ? '' : html`<p class="note">${texts.approve}. ${texts.notYou}</p>`
    return visits.show(visitor, {
      title: `${name} ${texts.asks}`,
      formTarget: request.redirectUri,
      body: html`<form class="card" method="post" action="/oauth2/post_auth/${id}">
        ${hiddenFields({ csrf, ...(qr !== undefined && { qr }) })} ${warning}
        <h1>${name} <span class="quiet">${texts.asks}</span></h1>
        <p class="quiet">${needs.shopName(request.merchant)}</p>
        ${scopeChoice(visitor, request.scope)}
        <p class="quiet small">${texts.returnTo} <b>${host === '' ? protocol : host}</b></p>
        ${decisionButtons(visitor)}
      </form>`,
    })
  }

  const start = (visitor: Visitor, call: Call): Promise<RawReply> =>
    withRequest(visitor, call, async (fine) => {
      const query = withAttempt(searchOf(call))
      const { redirectUri, state } = fine.request
      const iss = needs.issuer()
      const maxAge = query.get('max_age')
      const { session } = visitor
      const isFresh =
        session &&
        !fine.prompt.includes('login') &&
        (maxAge === null || call.at - session.startedAt <= Number(maxAge) * 1000)
      if (fine.prompt.includes('none')) {
        const error = isFresh ? 'consent_required' : 'login_required'
        return visits.go(visitor, redirectTo(redirectUri, { error, state, iss }))
      }
      return isFresh
        ? visits.go(visitor, `/oauth2/pre_auth?${query.toString()}`)
        : signInPage({ ...visitor }, query, fine, { step: 'pin' })
    })

  /** A phone has scanned the code of another screen. */
  const scanned = async (visitor: SignedIn, qr: string, call: Call): Promise<RawReply> => {
    const [, id = '', secret = ''] = qrPattern.exec(qr) ?? refuse('resource_is_unknown')
    const known = await findKnown(id)
    if (!needs.isSameText(needs.digestOf(secret), known.qrHash))
      return refuse('resource_is_unknown')
    if (known.status !== 'requested') return refuse('authorization_is_answered')
    if (call.at >= known.expiresAt) return refuse('authorization_is_expired')
    return consentPage(visitor, id, known, qr)
  }

  const decide = async (
    visitor: SignedIn,
    id: string,
    known: Known,
    channel: 'browser' | 'phone',
    call: Call<unknown, unknown, Form>,
  ): Promise<Known> => {
    const { payer, startedAt: signedInAt } = visitor.session
    const { at } = call
    const context = contextOfPayer(call, payer, known.request.merchant)
    const isAllowed = fieldOf(call.body, 'decision') === 'allow'
    const scope = tickedScope(call.body)
    const { state } = await handle(
      authorizations,
      id,
      isAllowed
        ? { type: 'AllowAuthorization', at, payer, scope, signedInAt, channel }
        : { type: 'DenyAuthorization', at, payer },
      context,
    )
    return state.status === 'unrequested' ? known : state
  }

  const answeredElsewhere = (visitor: Visitor, { status }: Known): Promise<RawReply> => {
    const { texts } = visitor
    return visits.show(visitor, {
      title: texts.done,
      body: html`<div class="card">
        <h1>${texts.done}</h1>
        <p role="status">${status === 'denied' ? texts.denied : texts.answered}</p>
        <div class="actions"><a class="button second" href="/payer/">${texts.home}</a></div>
      </div>`,
    })
  }

  const answer = async (
    visitor: Visitor,
    call: Call<{ readonly request_id: string }, unknown, Form>,
  ): Promise<RawReply> => {
    const { request_id: id } = call.params
    visits.checkForm(call, visitor, call.body)
    const known = await findKnown(id)
    const qr = fieldOf(call.body, 'qr')
    const { session } = visitor
    if (qr !== '') {
      const [, of, secret = ''] = qrPattern.exec(qr) ?? refuse('resource_is_unknown')
      if (of !== id || !needs.isSameText(needs.digestOf(secret), known.qrHash))
        return refuse('resource_is_unknown')
      if (!session) return visits.go(visitor, '/payer/sign-in')
      const decided = await decide({ ...visitor, session }, id, known, 'phone', call)
      return answeredElsewhere(visitor, decided)
    }
    // Whoever else has the id: only the browser that the application sent here goes back to it.
    if (!needs.isSameText(needs.digestOf(visitor.browser), known.browserHash))
      throw new RequestError(403, visitor.texts.again)
    if (fieldOf(call.body, 'decision') === '') {
      if (known.status === 'requested') return refuse('authorization_is_not_allowed')
      return leave(visitor, id, known, call)
    }
    if (!session) return visits.go(visitor, '/payer/sign-in')
    return leave(
      visitor,
      id,
      await decide({ ...visitor, session }, id, known, 'browser', call),
      call,
    )
  }

  return [
    route({
      method: 'GET',
      path: '/oauth2/auth',
      access: 'OPEN',
      group,
      summary: 'Authorization request: sign-in and consent',
      description:
        'RFC 6749, 4.1.1, with PKCE (S256), nonce, prompt and max_age. What must not be redirected is answered with a page.',
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) => visits.page(call, (visitor) => start(visitor, call)),
    }),
    route({
      method: 'POST',
      path: '/oauth2/auth',
      access: 'OPEN',
      group,
      summary: 'Sign in on the way through the authorization endpoint',
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) =>
        visits.page(call, (visitor) =>
          withRequest(visitor, call, async (fine) => {
            const query = withAttempt(searchOf(call))
            const step = await signIn.advance(visitor, call.body, call)
            return step.step === 'done'
              ? visits.go(visitor, `/oauth2/pre_auth?${query.toString()}`, [step.cookie])
              : signInPage(visitor, query, fine, step)
          }),
        ),
    }),
    route({
      method: 'GET',
      path: '/oauth2/pre_auth',
      access: 'OPEN',
      group,
      summary: 'Records an authorization request and asks the payer, who is signed in, for consent',
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) =>
        visits.signedInPage(call, async (visitor) => {
          const qr = searchOf(call).get('qr')
          if (qr !== null) return scanned(visitor, qr, call)
          return withRequest(visitor, call, async (fine) => {
            const id = await record(visitor, withAttempt(searchOf(call)), fine, call)
            return consentPage(visitor, id, fine, undefined)
          })
        }),
    }),
    route({
      method: 'POST',
      path: '/oauth2/post_auth/:request_id',
      access: 'OPEN',
      group,
      summary: 'Takes the payer’s answer, and sends the browser back to the application',
      params: idParams,
      body: anyForm,
      takesForm: true,
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) => visits.page(call, (visitor) => answer(visitor, call)),
    }),
    route({
      method: 'GET',
      path: '/oauth2/qr_image',
      access: 'OPEN',
      group,
      summary: 'The code with which a phone approves what this browser asks for',
      success: 'raw',
      replyTypes: ['image/svg+xml'],
      handle: async (call) => {
        const reply = await visits.page(call, (visitor) =>
          withRequest(visitor, call, async (fine) => {
            const query = withAttempt(searchOf(call))
            await record(visitor, query, fine, call)
            const { qr } = nameOf(visitor, query)
            const body = await needs.qrImage.svg(needs.links.full(`/oauth2/pre_auth?qr=${qr}`))
            const headers = { 'Cache-Control': 'no-store' }
            return { type: 'image/svg+xml', body, headers, cookies: visitor.cookies }
          }),
        )
        return reply
      },
    }),
    route({
      method: 'GET',
      path: '/oauth2/events',
      access: 'OPEN',
      group,
      summary: 'Server-sent events: `changed` as soon as the request of this browser is answered',
      success: 'raw',
      replyTypes: ['text/event-stream'],
      handle: (call) =>
        visits.page(call, (visitor) =>
          withRequest(visitor, call, async () => {
            const { id } = nameOf(visitor, withAttempt(searchOf(call)))
            const hasChanged = async () => {
              const { status } = await find(authorizations, id)
              return status === 'allowed' || status === 'denied'
            }
            const stream = streamOf(authorizations, id)
            return changesReply(needs.watch, stream, hasChanged, needs.isSecure)
          }),
        ),
    }),
    route({
      method: 'GET',
      path: '/oauth2/error',
      access: 'OPEN',
      group,
      summary: 'The page for requests that must not be redirected',
      success: 'raw',
      replyTypes: pageTypes,
      handle: (call) =>
        visits.page(call, (visitor) => {
          const isRedirect = searchOf(call).get('reason') === 'unknown_redirect'
          return refused(visitor, isRedirect ? 'unknownRedirect' : 'unknownClient')
        }),
    }),
  ]
}
