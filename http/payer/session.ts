import { html } from 'hono/html'
import { isLive } from '../../application/payers.ts'
import { Refusal } from '../../domain/refusal.ts'
import { secondsAfter, type Instant, type Seconds } from '../../domain/time.ts'
import { searchOf, targetOf, type Call } from '../call.ts'
import { Malformed, RequestError } from '../errors.ts'
import { fieldOf, type Fields } from '../forms.ts'
import { answerToRefusal } from '../refusal-answers.ts'
import type { RawReply, RawStatus } from '../route.ts'
import { problemHtml, problemTitle } from './problem.ts'
import { pageReply, redirectReply, type FooterLinks, type Html, type Page } from './page.ts'
import { languageOf, textsIn, type Texts } from './texts.ts'
import { signInPath } from './way-on.ts'

export type SessionNeeds = {
  /** Whether pages come over https only: then cookies do, too. */
  readonly isSecure: boolean
  readonly footer: FooterLinks
  readonly caughtUp: () => Promise<void>
  readonly newToken: () => { readonly token: string; readonly digest: string }
  /** SHA-256. */
  readonly digestOf: (token: string) => string
  /** A text that only this installation can make of these. */
  readonly derive: (...parts: readonly (string | number)[]) => string
  /** Compares without telling by its time how far two texts are alike. */
  readonly isSameText: (a: string, b: string) => boolean
  readonly findSession: (
    digest: string,
  ) => Promise<
    { readonly payer: string; readonly startedAt: Instant; readonly expiresAt: Instant } | undefined
  >
}

/** Whose browser it is, as far as we know. */
export type Visitor = {
  /** How the reader writes amounts and times, such as `en-GB`. */
  readonly locale: string
  readonly texts: Texts
  /** The login cookie: it names the browser, signed in or not. */
  readonly browser: string
  /** Sets the login cookie when the browser has none yet and asks for a page. */
  readonly cookies: readonly string[]
  readonly session:
    { readonly payer: string; readonly startedAt: Instant; readonly digest: string } | undefined
  /** What forms carry, so that no other site can send them. */
  readonly csrf: string
}

export type SignedIn = Visitor & { readonly session: NonNullable<Visitor['session']> }

const cookieIn = (header: string | undefined, name: string): string | undefined => {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

/** What a refusal tells a payer: in words of its own, those of its status, or what a program would hear. */
const refusalText = (texts: Texts, code: string, status: number, told: string): string => {
  const known: Readonly<Record<string, string>> = texts
  const text = known[`refused_${code}`] ?? known[`problem${status}`]
  return text ?? (texts === textsIn.en ? told : texts.wrongInput)
}

/** A form of this service that was made for somebody else than who is signed in now: nothing is done, and its page is shown anew. */
export class OutdatedForm extends Error {
  override readonly name = 'OutdatedForm'
}

/** So much of what a form carries is the browser's, the rest is the payer's. */
const browserPart = 22

/** Cookies, forms and errors of everything that a payer sees in a browser. */
export const makeVisits = (needs: SessionNeeds) => {
  const { isSecure } = needs
  // The prefix makes browsers refuse such a cookie from another host or over http (RFC 6265bis, 4.1.3).
  const prefix = isSecure ? '__Host-' : ''
  const sessionCookie = `${prefix}daybook-session`
  const browserCookie = `${prefix}daybook-login`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  const visitorOf = async (call: Call): Promise<Visitor> => {
    const { request, at } = call
    const header = request.header('cookie')
    const known = cookieIn(header, browserCookie)
    const browser = known ?? needs.newToken().token
    // From another site a form comes without our cookies, and must not have any put in their place.
    const isNew = known === undefined && request.method !== 'POST'
    const cookies = isNew ? [`${browserCookie}=${browser}; ${attributes}`] : []
    const token = cookieIn(header, sessionCookie)
    const digest = token === undefined ? undefined : needs.digestOf(token)
    const found = digest === undefined ? undefined : await needs.findSession(digest)
    const session =
      found && digest !== undefined && isLive(found, at) ? { ...found, digest } : undefined
    // What an application asks for comes first (OpenID Connect Core, 3.1.2.1: languages with spaces between them).
    const asked = searchOf(call).get('ui_locales')?.replaceAll(' ', ',')
    const { language, locale } = languageOf(asked ?? request.header('accept-language'))
    // The payer's and not the session's: who signs in anew in one tab can go on in the others.
    const csrf =
      needs.derive('csrf', browser).slice(0, browserPart) +
      needs.derive('csrf', browser, session?.payer ?? '')
    return { locale, texts: textsIn[language], browser, cookies, session, csrf }
  }

  /**
   * Whose the form must be: the payer's who is signed in, or just the browser's, whoever was signed in then.
   * @throws RequestError 403 for a form that did not come from a page of ours in this browser
   * @throws OutdatedForm for one that did, and is somebody else's
   */
  const checkForm = (
    { request }: Call,
    visitor: Visitor,
    form: Fields<'csrf'>,
    whose: 'payer' | 'browser' = 'payer',
  ): void => {
    const site = request.header('sec-fetch-site')
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (isForeign) throw new RequestError(403, visitor.texts.problem403)
    const given = fieldOf(form, 'csrf')
    const part = (text: string) => text.slice(0, browserPart)
    if (!needs.isSameText(part(given), part(visitor.csrf))) {
      // Pages that were opened at once, before the browser had a cookie, each got one, and the last of them is kept.
      if (site === 'same-origin') throw new OutdatedForm()
      throw new RequestError(403, visitor.texts.problem403)
    }
    if (whose === 'payer' && !needs.isSameText(given, visitor.csrf)) throw new OutdatedForm()
  }

  const show = (
    visitor: Visitor,
    page: Pick<Page, 'title' | 'body'> & Partial<Omit<Page, 'menu'>>,
    { isPayment = false } = {},
  ): Promise<RawReply> => {
    const { texts, csrf, locale: language, cookies } = visitor
    const menu = visitor.session && !isPayment ? { menu: { csrf } } : {}
    return pageReply({
      language,
      texts,
      isSecure,
      footer: needs.footer,
      ...menu,
      ...page,
      cookies: [...cookies, ...(page.cookies ?? [])],
    })
  }

  const go = (visitor: Visitor, location: string, cookies: readonly string[] = []): RawReply =>
    redirectReply(location, isSecure, [...visitor.cookies, ...cookies])

  const problem = (
    visitor: Visitor,
    status: RawStatus,
    text: string,
    call: Call,
    { retryAfter = null, code }: { retryAfter?: Seconds | null; code?: string } = {},
  ): Promise<RawReply> => {
    const { texts, locale } = visitor
    const { at: now, request } = call
    // What a form was sent to is a page, too, with few exceptions.
    const target = targetOf(call)
    const isForm = request.method === 'POST' && /^\/payer\/(?!sign-out)/.test(target)
    return show(visitor, {
      status,
      retryAfter,
      title: problemTitle({ texts, status, code }),
      body: problemHtml({
        ...{ texts, locale, status, code, text, now },
        back: isForm || status === 429 ? target : undefined,
        retryAt: retryAfter === null ? undefined : secondsAfter(now, retryAfter),
      }),
    })
  }

  const problemStatus = (status: number): RawStatus =>
    status === 401 || status === 403 || status === 404 || status === 409 || status === 429
      ? status
      : 400

  /** Answers a request with a page, and what went wrong with a page that says so. Where a form was sent, its page is. */
  const page = async (
    call: Call,
    work: (visitor: Visitor) => Promise<RawReply>,
    formIsAt: string = targetOf(call),
  ): Promise<RawReply> => {
    const visitor = await visitorOf(call)
    try {
      return await work(visitor)
    } catch (error) {
      if (error instanceof OutdatedForm) return go(visitor, formIsAt)
      if (error instanceof Refusal) {
        const { status, body } = answerToRefusal(error)
        const details = Object.values(body.error_details ?? {}).flat()
        const text = details[0] ?? body.error_description ?? ''
        const told = refusalText(visitor.texts, error.code, status, text)
        const { code, retryAfter } = error
        return problem(visitor, problemStatus(status), told, call, { retryAfter, code })
      }
      // That we cannot answer just now is told with when to come back, as to everybody.
      if (error instanceof RequestError && error.status < 500)
        return problem(visitor, problemStatus(error.status), error.message, call)
      if (error instanceof Malformed) return problem(visitor, 400, visitor.texts.wrongInput, call)
      throw error
    }
  }

  /** A page for payers who are signed in; the others sign in first and come back. */
  const signedInPage = (
    call: Call,
    work: (visitor: SignedIn) => Promise<RawReply>,
  ): Promise<RawReply> =>
    page(call, async (visitor) => {
      const { session } = visitor
      if (session) return work({ ...visitor, session })
      // Where a form was sent, its page is.
      return go(visitor, signInPath(targetOf(call)))
    })

  return {
    page,
    signedInPage,
    show,
    go,
    problem,
    checkForm,
    cookieFor: (token: string): string => `${sessionCookie}=${token}; ${attributes}`,
    noCookie: `${sessionCookie}=; Max-Age=0; ${attributes}`,
  }
}

export type Visits = ReturnType<typeof makeVisits>

export const hiddenFields = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )

export const problemNote = (text: Html | string | undefined): Html | '' =>
  text === undefined ? '' : html`<p class="problem" role="alert">${text}</p>`
