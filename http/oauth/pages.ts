import { html } from 'hono/html'
import type { Profile } from '../../domain/people/profile.ts'
import type { RequestedAuthorization } from '../../domain/people/authorization.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Html } from '../payer/page.ts'
import { decisionButtons } from '../payer/permission.ts'
import { scopeChoice, type ChoiceSoFar } from '../payer/scope-choice.ts'
import { hiddenFields, type SignedIn, type Visitor, type Visits } from '../payer/session.ts'
import { filled } from '../payer/words.ts'
import type { SignInForm, StepAhead } from '../payer/sign-in-form.ts'
import { signInPath, signUpPath } from '../payer/way-on.ts'
import type { RawReply } from '../route.ts'
import type { KnownApplication } from './client.ts'
import { redirectTo, type ValidRequest } from './request.ts'

export type AuthorizationPageNeeds = {
  readonly findApplication: (clientId: string) => KnownApplication | undefined
  readonly shopName: (merchant: string) => string
  readonly issuer: () => string
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
}

/** The pages of the authorization endpoint. */
export const authorizationPages = (
  { findApplication, shopName, findProfile, issuer }: AuthorizationPageNeeds,
  visits: Visits,
  signIn: SignInForm,
) => {
  /** Where somebody goes who wants nothing of it: the application learns that. */
  const noThanks = ({ texts }: Visitor, { redirectUri, state }: ValidRequest['request']): Html => {
    const told = { error: 'access_denied', state, iss: issuer() }
    return html`<a href="${redirectTo(redirectUri, told)}">${texts.noThanks}</a>`
  }

  /** Who is signed in already, and how they go on as who they are. */
  const asWhoYouAre = async (
    { texts, session }: SignedIn,
    query: URLSearchParams,
  ): Promise<Html> => {
    const { name, phone } = (await findProfile(session.payer)) ?? refuse('payer_is_unknown')
    return html`<div class="actions">
        <a class="button" href="/oauth2/pre_auth?${query.toString()}"
          >${texts.goOnAs} ${name} (+${phone})</a
        >
      </div>
      <h2>${texts.otherAccount}</h2>`
  }

  /** Where the payer signs in, shows a code to their phone, or goes on as who is signed in already, if that will do. */
  const toSignIn = async (
    visitor: Visitor,
    id: string,
    query: URLSearchParams,
    { request, application }: ValidRequest,
    step: StepAhead,
    known?: SignedIn,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const asked = query.toString()
    const here = `/oauth2/auth?${asked}`
    return visits.show(visitor, {
      title: texts.signIn,
      ...step.answer,
      leadsOut: true,
      body: html`<div class="card wide" data-live="/oauth2/events?${asked}">
        <section>
          <h1>${texts.signInWith}</h1>
          <p>
            ${filled(texts.toContinue, html`<b>${application.name}</b>`)}
            <span class="quiet">(${shopName(request.merchant)})</span>
          </p>
          ${known ? await asWhoYouAre(known, query) : ''} ${signIn.formOf(visitor, step, here)}
          ${
            step.step === 'pin'
              ? html`<p>
                  <a href="${signUpPath(`/oauth2/pre_auth?${asked}`)}">${texts.newHere}</a>
                </p>`
              : ''
          }
          <p>${noThanks(visitor, request)}</p>
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
            <p class="quiet small" data-scripted hidden>${texts.live}</p>
          </div>
          <form method="post" action="/oauth2/post_auth/${id}" data-continue>
            ${hiddenFields({ csrf, asked })}
            <div class="actions"><button class="second">${texts.continueHere}</button></div>
          </form>
        </section>
      </div>`,
    })
  }

  /** Where another account is chosen for the same request. */
  const toOtherAccount = (
    cameFrom: { readonly asked: string } | { readonly qr: string },
  ): string => {
    if ('qr' in cameFrom)
      return `${signInPath(`/oauth2/pre_auth?${new URLSearchParams(cameFrom).toString()}`)}&again`
    const query = new URLSearchParams(cameFrom.asked)
    query.delete('attempt')
    query.set('prompt', `${query.get('prompt') ?? ''} select_account`.trim())
    return `/oauth2/auth?${query.toString()}`
  }

  /**
   * What the application asks for, to be allowed or denied. The form brings back what leads to this page: the query, or on
   * a phone the code of another screen that it has scanned.
   */
  const forConsent = async (
    visitor: SignedIn,
    id: string,
    { request }: Pick<RequestedAuthorization, 'request'>,
    cameFrom: { readonly asked: string } | { readonly qr: string },
    soFar?: ChoiceSoFar,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const profile = (await findProfile(visitor.session.payer)) ?? refuse('payer_is_unknown')
    const isPhone = 'qr' in cameFrom
    const isAgain = 'asked' in cameFrom && new URLSearchParams(cameFrom.asked).has('again')
    const name = findApplication(request.client)?.name ?? request.client
    const { protocol, host } = new URL(request.redirectUri)
    const warning: Html | '' = isPhone
      ? html`<p class="note">${texts.approve}. ${texts.notYou}</p>`
      : ''
    return visits.show(visitor, {
      title: `${name} ${texts.asks}`,
      status: soFar ? 400 : 200,
      leadsOut: true,
      body: html`<form class="card" method="post" action="/oauth2/post_auth/${id}">
        ${hiddenFields({ csrf, ...cameFrom })} ${warning}
        ${isAgain ? html`<p class="note" role="status">${texts.onceMore}</p>` : ''}
        <h1>${name} <span class="quiet">${texts.asks}</span></h1>
        <p class="quiet">${shopName(request.merchant)}</p>
        <p class="who">
          ${texts.signedInAs} <b>${profile.name}</b> (+${profile.phone})
          <a href="${toOtherAccount(cameFrom)}">${texts.otherAccount}</a>
        </p>
        ${scopeChoice(visitor, request.scope, profile, soFar)}
        ${
          isPhone
            ? ''
            : html`<p class="quiet small">
                ${texts.returnTo} <b>${host === '' ? protocol : host}</b>
              </p>`
        }
        ${decisionButtons(visitor)}
      </form>`,
    })
  }

  /** On a phone, which does not go back to the application. */
  const afterAnswer = (visitor: Visitor, { status }: RequestedAuthorization): Promise<RawReply> => {
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

  return { toSignIn, forConsent, afterAnswer }
}

export type AuthorizationPages = ReturnType<typeof authorizationPages>
