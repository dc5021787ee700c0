import { phoneDigits } from '../../application/people.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Preferences } from '../../domain/people/preferences.ts'
import type { Instant } from '../../domain/time.ts'
import { searchOf, targetOf, type Call } from '../../http/call.ts'
import { Malformed, RequestError } from '../../http/errors.ts'
import { ownCookie } from '../../http/own-cookie.ts'
import { answerToRefusal } from '../../http/refusal-answers.ts'
import type { RawReply, RawStatus } from '../../http/route.ts'
import { antiForgery, OutdatedForm, type AntiForgeryNeeds } from '../ui/anti-forgery.ts'
import { problemPage, type PageProblem } from '../ui/problem.tsx'
import { pageReply, redirectReply, type FooterLinks, type Page } from '../ui/page.tsx'
import { languageCookie, readersLanguage, yearOfCookies, type Texts } from '../ui/texts.ts'
import { fieldsSent, resumePath } from './kept-form.ts'
import { signInPath } from './way-on.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'
import { plainText } from '../../texts/message.ts'

export type SessionNeeds = AntiForgeryNeeds & {
  /** Encrypts what a page hands to the browser and gets back. */
  readonly sealPage: (text: string) => string
  /** Whether pages and cookies are https only. */
  readonly isSecure: boolean
  readonly footer: FooterLinks
  /** Digits with country code of a number as people type it; undefined for what is none. */
  readonly readPhone: (typed: string) => string | undefined
  readonly caughtUp: () => Promise<void>
  readonly newToken: () => { readonly token: string; readonly digest: string }
  /** SHA-256. */
  readonly digestOf: (token: string) => string
  readonly findSession: (
    digest: string,
    at: Instant,
    isUse: boolean,
  ) => Promise<SessionFound | undefined>
}

type SessionFound = {
  readonly payer: string
  readonly startedAt: Instant
  /** Of the person, on each device. */
  readonly preferences: Preferences | undefined
}

export type Visitor = {
  readonly language: Language
  /** For amounts and times, such as `en-GB`. */
  readonly locale: string
  readonly texts: Texts
  /** The login cookie; identifies the browser, signed in or not. */
  readonly browser: string
  /** Sets the login cookie on a browser's first page. */
  readonly cookies: readonly string[]
  readonly session: (SessionFound & { readonly digest: string }) | undefined
  /** The anti-forgery token of forms. */
  readonly csrf: string
  /** SHA-256 of the cookie of a device that has signed in; proves that to its accounts. */
  readonly known: string | undefined
}

export type SignedIn = Visitor & { readonly session: NonNullable<Visitor['session']> }

/** A refusal's own text, else its status's, else the API's. */
const refusalText = (texts: Texts, code: string, status: number, fallback: string): string => {
  const text = plainText(texts, `refused_${code}`) ?? plainText(texts, `problem${status}`)
  return text ?? (texts === textsIn.en.payer ? fallback : texts.wrongInput)
}

const problemStatus = (status: number): RawStatus =>
  ([401, 403, 404, 409, 410, 429] as const).find((known) => known === status) ?? 400

/** What a page says of an error; undefined for outages and bugs, which are told as everywhere. */
export const pageProblem = (error: unknown, texts: Texts): PageProblem | undefined => {
  if (error instanceof Refusal) {
    const { status, body } = answerToRefusal(error)
    const details = Object.values(body.error_details ?? {}).flat()
    const text = details[0] ?? body.error_description ?? ''
    const { code, retryAfter } = error
    const ownText = refusalText(texts, code, status, text)
    return { status: problemStatus(status), text: ownText, retryAfter, code }
  }
  if (error instanceof RequestError && error.status < 500)
    return { status: problemStatus(error.status), text: error.message }
  return error instanceof Malformed ? { status: 400, text: texts.wrongInput } : undefined
}

const tokenPattern = /^[\w-]{43}$/

/** Cookies, forms and errors of the payers' pages. */
export const makeVisits = (needs: SessionNeeds) => {
  const { isSecure } = needs
  const { tokenFor, checkForm, isOwnForm } = antiForgery(needs)
  const cookieOf = (name: string) => ownCookie({ isSecure, sameSite: 'Lax' }, name, tokenPattern)
  const sessionCookie = cookieOf('session')
  const browserCookie = cookieOf('login')
  const deviceCookie = cookieOf('device')
  const digestIn = (token?: string) => (token === undefined ? undefined : needs.digestOf(token))

  const visitorOf = async (call: Call): Promise<Visitor> => {
    const { request, at } = call
    const header = request.header('cookie')
    const login = browserCookie.find(header)
    const browser = login ?? needs.newToken().token
    // A cross-site POST comes without our cookies; do not replace them.
    const isNew = login === undefined && request.method !== 'POST'
    const digest = digestIn(sessionCookie.find(header))
    // A page that follows along by itself does not keep a session in use.
    const isUse = request.header('sec-fetch-dest') !== 'empty'
    const found = digest === undefined ? undefined : await needs.findSession(digest, at, isUse)
    const session = found && digest !== undefined ? { ...found, digest } : undefined
    // The application's choice comes before the browser's (OpenID Connect Core, 3.1.2.1).
    const locales = searchOf(call).get('ui_locales')?.replaceAll(' ', ',')
    const own = languages.find((one) => one === session?.preferences?.language)
    const { language, locale } = readersLanguage(request, locales, own)
    const isOther = own !== undefined && own !== languageCookie(isSecure).find(header)
    const cookies = [
      ...(isNew ? [browserCookie.keep(browser)] : []),
      ...(isOther ? [languageCookie(isSecure).keepFor(own, yearOfCookies)] : []),
    ]
    const csrf = tokenFor(browser, session?.payer)
    const known = digestIn(deviceCookie.find(header))
    const texts = textsIn[language].payer
    return { language, locale, texts, browser, cookies, session, csrf, known }
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

  const problem = (visitor: Visitor, about: PageProblem, call: Call): Promise<RawReply> => {
    const { texts, locale } = visitor
    const { status, retryAfter = null } = about
    // Nearly every form's target is also a page.
    const target = targetOf(call)
    const isForm = call.request.method === 'POST' && /^\/payer\/(?!sign-out)/.test(target)
    const back = isForm || status === 429 ? target : undefined
    const page = problemPage({ ...about, texts, locale, now: call.at, back })
    return show(visitor, { ...page, status, retryAfter })
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
      const known = pageProblem(error, visitor.texts)
      if (!known) throw error
      return problem(visitor, known, call)
    }
  }

  /**
   * Where to go on after signing in: with the form that was sent, if it is of this browser. Whoever
   * answers a payment or a permission sees it again instead.
   */
  const wayOn = (call: Call, visitor: Visitor): string => {
    const [target, sent] = [targetOf(call), fieldsSent(call)]
    const csrf = sent.find(([name]) => name === 'csrf')?.[1] ?? ''
    const isAnswer = /^\/payer\/(?:payment|permission)\//.test(target)
    const isOwn = !isAnswer && isOwnForm(visitor, csrf, 'browser')
    return isOwn ? resumePath(needs.sealPage, target, sent, call.at) : target
  }

  /** Sends payers to sign in first where needed. */
  const signedInPage = (
    call: Call,
    work: (visitor: SignedIn) => Promise<RawReply>,
  ): Promise<RawReply> =>
    page(call, async (visitor) => {
      const { session } = visitor
      if (session) return work({ ...visitor, session })
      return go(visitor, signInPath(wayOn(call, visitor)))
    })

  return {
    page,
    readPhone: needs.readPhone,
    /** As typed to sign in: also digits that are of no number of the country. */
    phoneOf: (typed: string) => needs.readPhone(typed) ?? phoneDigits(typed),
    signedInPage,
    /** Whether the session goes on; to ask does not use it. */
    goesOn: async (digest: string, at: Instant) => !!(await needs.findSession(digest, at, false)),
    show,
    go,
    problem,
    checkForm,
    isOwnForm,
    cookieFor: sessionCookie.keep,
    /** Makes the device known; `cookies` is empty for one that is. */
    knownDevice: ({ known }: Pick<Visitor, 'known'>) => {
      if (known !== undefined) return { known, cookies: [] }
      const { token, digest } = needs.newToken()
      return { known: digest, cookies: [deviceCookie.keepFor(token, yearOfCookies)] }
    },
    noCookie: sessionCookie.none,
  }
}

export type Visits = ReturnType<typeof makeVisits>
