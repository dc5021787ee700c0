import { Actions, Form, Link, MoreLink, type Html } from '../ui/components.tsx'
import type { Profile } from '../../domain/people/profile.ts'
import type { RequestedAuthorization } from '../../domain/people/authorization.ts'
import { refuse } from '../../domain/refusal.ts'
import { decisionButtons } from '../payer/permission.tsx'
import { scopeChoice, type ChoiceSoFar } from '../payer/scope-choice.tsx'
import { type SignedIn, type Visitor, type Visits } from '../payer/session.tsx'
import { filled } from '../ui/words.tsx'
import type { SignInForm, StepAhead } from '../payer/sign-in-form.tsx'
import { signInPath, signUpPath } from '../payer/way-on.ts'
import type { RawReply } from '../../http/route.ts'
import type { KnownApplication } from '../../http/oauth/client.ts'
import {
  compareField,
  compareNumber,
  originHtml,
  type OriginNeeds,
  redirectTo,
  type ValidRequest,
} from './request.tsx'

export type AuthorizationPageNeeds = OriginNeeds & {
  readonly findApplication: (clientId: string) => KnownApplication | undefined
  readonly shopName: (merchant: string) => string
  readonly issuer: () => string
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
}

/** What leads back to a consent page: the query, or on a phone the scanned code. */
type CameFrom = { readonly asked: string } | { readonly qr: string; readonly address: string }

const hiddenIn = (cameFrom: CameFrom) =>
  'qr' in cameFrom ? { qr: cameFrom.qr } : { asked: cameFrom.asked }

export const authorizationPages = (
  needs: AuthorizationPageNeeds,
  visits: Visits,
  signIn: SignInForm,
) => {
  const { findApplication, shopName, findProfile, issuer } = needs
  /** A link that declines and tells the application so. */
  const declineLink = (
    { texts }: Visitor,
    { redirectUri, state }: ValidRequest['request'],
  ): Html => {
    const answer = { error: 'access_denied', state, iss: issuer() }
    return <Link class="lone" href={redirectTo(redirectUri, answer)} text={texts.noThanks} />
  }

  const continueAs = async (
    { texts, session }: SignedIn,
    query: URLSearchParams,
  ): Promise<Html> => {
    const { name, phone } = (await findProfile(session.payer)) ?? refuse('payer_is_unknown')
    return [
      <div class="actions">
        <Link
          class="button"
          href={`/oauth2/pre_auth?${query.toString()}`}
          text={texts.goOnAs({ name: `${name} (+${phone})` })}
        />
      </div>,
      <h2>{texts.otherAccount}</h2>,
    ]
  }

  /**
   * Sign in, scan the code with a phone, or continue as the signed-in payer where that suffices.
   */
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
    const address = `/oauth2/auth?${asked}`
    return visits.show(visitor, {
      title: texts.signIn,
      ...step.answer,
      leadsOut: true,
      body: (
        <div class="card wide" data-live={`/oauth2/events?${asked}`}>
          <section>
            <h1>{texts.signInWith}</h1>
            <p>
              {filled(texts.toContinue, { application: <b>{application.name}</b> })}{' '}
              <span class="quiet">({shopName(request.merchant)})</span>
            </p>
            {known ? await continueAs(known, query) : ''}
            {signIn.formOf(visitor, step, address)}
            {step.step === 'pin' && (
              <MoreLink href={signUpPath(`/oauth2/pre_auth?${asked}`)} text={texts.newHere} />
            )}
            <p>{declineLink(visitor, request)}</p>
          </section>
          <section class="computer">
            <div class="qr">
              <h2>{texts.scanSignIn}</h2>
              <img
                src={`/oauth2/qr_image?${asked}`}
                alt={texts.scanSignIn}
                width="240"
                height="240"
                loading="lazy"
              />
              <p>
                {texts.compareShown} <b class="compare">{compareNumber(needs, id)}</b>
              </p>
              <p class="quiet small" data-scripted="" hidden>
                {texts.live}
              </p>
            </div>
            <Form action={`/oauth2/post_auth/${id}`} data-continue="" hidden={{ csrf, asked }}>
              <Actions kind="second" button={texts.continueHere} />
            </Form>
          </section>
        </div>
      ),
    })
  }

  /** Sign in with another account for the same request. */
  const toOtherAccount = (cameFrom: CameFrom): string => {
    if ('qr' in cameFrom)
      return `${signInPath(`/oauth2/pre_auth?qr=${encodeURIComponent(cameFrom.qr)}`)}&again`
    const query = new URLSearchParams(cameFrom.asked)
    query.delete('attempt')
    query.set('prompt', `${query.get('prompt') ?? ''} select_account`.trim())
    return `/oauth2/auth?${query.toString()}`
  }

  const warningHtml = (
    visitor: Visitor,
    from: { readonly qr: string; readonly address: string },
  ): Html => (
    <div class="note">
      <p>
        <b>{visitor.texts.approve}.</b> {visitor.texts.notYou}
      </p>
      <p>{originHtml(needs, visitor, from)}</p>
    </div>
  )

  /**
   * Asks for consent. The form carries what leads back here: the query, or on a phone the scanned
   * code.
   */
  const forConsent = async (
    visitor: SignedIn,
    id: string,
    { request }: Pick<RequestedAuthorization, 'request'>,
    cameFrom: CameFrom,
    soFar?: ChoiceSoFar,
    wrongCompare?: string,
  ): Promise<RawReply> => {
    const { texts, csrf } = visitor
    const profile = (await findProfile(visitor.session.payer)) ?? refuse('payer_is_unknown')
    const isPhone = 'qr' in cameFrom
    const isAgain = 'asked' in cameFrom && new URLSearchParams(cameFrom.asked).has('again')
    const name = findApplication(request.client)?.name ?? request.client
    const { protocol, host } = new URL(request.redirectUri)
    return visits.show(visitor, {
      title: texts.nameAsks({ name }),
      status: soFar || wrongCompare !== undefined ? 400 : 200,
      leadsOut: true,
      body: (
        <Form
          class="card"
          action={`/oauth2/post_auth/${id}`}
          hidden={{ csrf, ...hiddenIn(cameFrom) }}
        >
          {'qr' in cameFrom && warningHtml(visitor, cameFrom)}
          {isAgain && (
            <p class="note" role="status">
              {texts.onceMore}
            </p>
          )}
          <h1>
            {name} <span class="quiet">{texts.asks}</span>
          </h1>
          <p class="quiet">{shopName(request.merchant)}</p>
          <p class="who">
            {filled(texts.signedInAs, {
              name: [<b>{profile.name}</b>, ' (+', profile.phone, ')'],
            })}
            <a href={toOtherAccount(cameFrom)}>{texts.otherAccount}</a>
          </p>
          {scopeChoice(visitor, request.scope, profile, soFar)}
          {!isPhone && (
            <p class="quiet small">
              {filled(texts.returnTo, {
                place: <b>{host === '' ? protocol : host}</b>,
              })}
            </p>
          )}
          {isPhone && compareField(visitor, wrongCompare)}
          {decisionButtons(visitor)}
        </Form>
      ),
    })
  }

  /** On a phone, which is not redirected to the application. */
  const afterAnswer = (visitor: Visitor, { status }: RequestedAuthorization): Promise<RawReply> => {
    const { texts } = visitor
    return visits.show(visitor, {
      title: texts.done,
      body: (
        <div class="card">
          <h1>{texts.done}</h1>
          <p role="status">{status === 'denied' ? texts.denied : texts.answered}</p>
          <div class="actions">
            <Link class="button second" href="/payer/" text={texts.home} />
          </div>
        </div>
      ),
    })
  }

  return { toSignIn, forConsent, afterAnswer }
}

export type AuthorizationPages = ReturnType<typeof authorizationPages>
