import { html } from 'hono/html'
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
  /** Whether pages and cookies are https only. */
  readonly isSecure: boolean
  readonly footer: FooterLinks
  readonly caughtUp: () => Promise<void>
  readonly newToken: () => { readonly token: string; readonly digest: string }
  /** SHA-256. */
  readonly digestOf: (token: string) => string
  /** A keyed text that only this installation can make. */
  readonly derive: (...parts: readonly (string | number)[]) => string
  /** Compares in constant time. */
  readonly isSameText: (a: string, b: string) => boolean
  readonly findSession: (
    digest: string,
    at: Instant,
    isUse: boolean,
  ) => Promise<{ readonly payer: string; readonly startedAt: Instant } | undefined>
}

export type Visitor = {
  /** For amounts and times, such as `en-GB`. */
  readonly locale: string
  readonly texts: Texts
  /** The login cookie; identifies the browser, signed in or not. */
  readonly browser: string
  /** Sets the login cookie on a browser's first page. */
  readonly cookies: readonly string[]
  readonly session:
    { readonly payer: string; readonly startedAt: Instant; readonly digest: string } | undefined
  /** The anti-forgery token of forms. */
  readonly csrf: string
  /** SHA-256 of the cookie of a device that has signed in; proves that to its accounts. */
  readonly known: string | undefined
}

export type SignedIn = Visitor & { readonly session: NonNullable<Visitor['session']> }

const cookieIn = (header: string | undefined, name: string): string | undefined => {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

/** A refusal's own text, else its status's, else the API's. */
const refusalText = (texts: Texts, code: string, status: number, told: string): string => {
  const known: Readonly<Record<string, string>> = texts
  const text = known[`refused_${code}`] ?? known[`problem${status}`]
  return text ?? (texts === textsIn.en ? told : texts.wrongInput)
}

const problemStatus = (status: number): RawStatus =>
  status === 401 || status === 403 || status === 404 || status === 409 || status === 429
    ? status
    : 400

type ToldProblem = {
  readonly status: RawStatus
  readonly text: string
  readonly retryAfter?: Seconds | null
  readonly code?: string
}

/** What a page says of an error; undefined for outages and bugs, which are told as everywhere. */
export const toldProblem = (error: unknown, texts: Texts): ToldProblem | undefined => {
  if (error instanceof Refusal) {
    const { status, body } = answerToRefusal(error)
    const details = Object.values(body.error_details ?? {}).flat()
    const text = details[0] ?? body.error_description ?? ''
    const { code, retryAfter } = error
    const told = refusalText(texts, code, status, text)
    return { status: problemStatus(status), text: told, retryAfter, code }
  }
  if (error instanceof RequestError && error.status < 500)
    return { status: problemStatus(error.status), text: error.message }
  return error instanceof Malformed ? { status: 400, text: texts.wrongInput } : undefined
}

/** The form was made for another session: do nothing and show its page again. */
export class OutdatedForm extends Error {
  override readonly name = 'OutdatedForm'
}

/** A year; browsers keep no cookie for much longer. */
const deviceLifetime: Seconds = 31_536_000

/** The length of the browser's part of the token; the rest is the payer's. */
const browserPart = 22

/** Cookies, forms and errors of the payers' pages. */
export const makeVisits = (needs: SessionNeeds) => {
  const { isSecure } = needs
  // With the prefix browsers refuse the cookie from other hosts and over http (RFC 6265bis, 4.1.3).
  const prefix = isSecure ? '__Host-' : ''
  const sessionCookie = `${prefix}daybook-session`
  const browserCookie = `${prefix}daybook-login`
  const deviceCookie = `${prefix}daybook-device`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  const visitorOf = async (call: Call): Promise<Visitor> => {
    const { request, at } = call
    const header = request.header('cookie')
    const login = cookieIn(header, browserCookie)
    const browser = login ?? needs.newToken().token
    // A cross-site POST comes without our cookies; do not replace them.
    const isNew = login === undefined && request.method !== 'POST'
    const cookies = isNew ? [`${browserCookie}=${browser}; ${attributes}`] : []
    const token = cookieIn(header, sessionCookie)
    const digest = token === undefined ? undefined : needs.digestOf(token)
    // A page that follows along by itself does not keep a session in use.
    const isUse = request.header('sec-fetch-dest') !== 'empty'
    const found = digest === undefined ? undefined : await needs.findSession(digest, at, isUse)
    const session = found && digest !== undefined ? { ...found, digest } : undefined
    const device = cookieIn(header, deviceCookie)
    // The application's choice comes first (OpenID Connect Core, 3.1.2.1).
    const asked = searchOf(call).get('ui_locales')?.replaceAll(' ', ',')
    const { language, locale } = languageOf(asked ?? request.header('accept-language'))
    // Bound to the payer, not the session, so other tabs survive a new sign-in.
    const csrf =
      needs.derive('csrf', browser).slice(0, browserPart) +
      needs.derive('csrf', browser, session?.payer ?? '')
    const known = device === undefined ? undefined : needs.digestOf(device)
    return { locale, texts: textsIn[language], browser, cookies, session, csrf, known }
  }

  /**
   * The form must belong to the signed-in payer, or just to the browser. @throws RequestError 403
   * when it is not from our page in this browser @throws OutdatedForm when it belongs to another
   * payer
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
      // Pages opened at once each set a cookie; the browser keeps the last.
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
    // Nearly every form's target is also a page.
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

  /** Answers with a page, errors too; after a form, with the form's page. */
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
      const told = toldProblem(error, visitor.texts)
      if (!told) throw error
      return problem(visitor, told.status, told.text, call, told)
    }
  }

  /** Sends payers to sign in first where needed. */
  const signedInPage = (
    call: Call,
    work: (visitor: SignedIn) => Promise<RawReply>,
  ): Promise<RawReply> =>
    page(call, async (visitor) => {
      const { session } = visitor
      if (session) return work({ ...visitor, session })
      // After a form, come back to its page.
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
    /** Makes the device known; `cookies` is empty for one that is. */
    knownDevice: ({ known }: Pick<Visitor, 'known'>) => {
      if (known !== undefined) return { known, cookies: [] }
      const { token, digest } = needs.newToken()
      const kept = `Max-Age=${deviceLifetime}; ${attributes}`
      return { known: digest, cookies: [`${deviceCookie}=${token}; ${kept}`] }
    },
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
