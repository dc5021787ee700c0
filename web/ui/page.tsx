import { Link, type Html } from './components.tsx'
import { html } from 'hono/html'
import { z } from 'zod'
import type { Seconds } from '../../domain/time.ts'
import type { RawReply, RawStatus, Route } from '../../http/route.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Texts } from './texts.ts'
import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'

export const group = 'Pages'

export const pageAssetRoutes = ({ readAsset }: AssetNeeds): Route[] => {
  const style = joined(readAsset, ['web/payer/page.css', 'web/payer/account.css'])
  const script = joined(readAsset, ['web/payer/page.js', 'web/payer/account.js'])
  const icon = readAsset('web/payer/favicon.ico')
  const summary = (name: string) => `What pages are made of: ${name}`
  return [
    assetRoute({
      path: '/payer/style.css',
      type: 'text/css',
      group,
      summary: summary('style.css'),
      body: () => style,
    }),
    assetRoute({
      path: '/payer/live.js',
      type: 'text/javascript',
      group,
      summary: summary('live.js'),
      body: () => script,
    }),
    assetRoute({
      path: '/favicon.ico',
      type: 'image/x-icon',
      group,
      summary: 'The icon of the pages',
      maxAge: 86_400,
      body: () => icon,
    }),
  ]
}

export type Page = {
  readonly language: string
  readonly title: string
  readonly body: Html
  readonly status?: RawStatus
  /** When to try again, if known. */
  readonly retryAfter?: Seconds | null
  readonly cookies?: readonly string[]
  /**
   * Whether a form leads to another site. Browsers apply the policy for forms to all later
   * redirects, and an application may redirect anywhere.
   */
  readonly leadsOut?: boolean
  /** Reload interval for browsers without scripts. */
  readonly refreshAfter?: number
  readonly texts: Texts
  /** For signed-in payers; absent during a payment. */
  readonly menu?: { readonly csrf: string }
  readonly footer: FooterLinks
  readonly isSecure: boolean
}

/** The operator's own pages, from the settings; of a sandbox who and what can be tried. */
export type FooterLinks = Readonly<Record<'help' | 'terms' | 'privacy', string | undefined>> & {
  readonly sandbox?: string | undefined
}

/** Everything comes from this service, and no script or style stands in a page. */
export const contentSecurityPolicy = (leadsOut = false): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...(leadsOut ? [] : ["form-action 'self'"]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Headers of every page: no framing, no referrer. */
export const pageHeaders = (isSecure: boolean, leadsOut = false) => ({
  'Content-Security-Policy': contentSecurityPolicy(leadsOut),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  Vary: 'Accept-Language, Cookie',
  ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000' }),
})

const leftPage = 'M8 8.5h6.2c1 0 1.8.8 1.8 1.8v13.2c0-.9-.8-1.5-1.8-1.5H8z'

const rightPage = 'M24 8.5h-6.2c-1 0-1.8.8-1.8 1.8v13.2c0-.9.8-1.5 1.8-1.5H24z'

/** The book of /favicon.ico. */
export const brandMark = (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0b57d0" />
    <path fill="#fff" d={`${leftPage}${rightPage}`} />
    <path
      stroke="#0b57d0"
      stroke-width="1.4"
      d="M10.3 12.5h3.2M10.3 16h3.2M18.5 12.5h3.2M18.5 16h3.2"
    />
  </svg>
)

const menuHtml = (texts: Texts, { csrf }: NonNullable<Page['menu']>) => (
  <nav aria-label={texts.account}>
    <a href="/payer/">{texts.home}</a>
    <a href="/payer/history">{texts.history}</a>
    <a href="/payer/permissions">{texts.permissions}</a>
    <a href="/payer/security">{texts.security}</a>
    <form method="post" action="/payer/sign-out">
      <input type="hidden" name="csrf" value={csrf} />
      <button class="plain">{texts.signOut}</button>
    </form>
  </nav>
)

/** A link for each language, in its own words. */
export const languageLinks = (current: string, kind?: string): readonly Html[] =>
  languages.map((one) => (
    <a
      class={kind}
      href={`/payer/language/${one}`}
      lang={one}
      aria-current={current.startsWith(one) ? 'true' : undefined}
    >
      {textsIn[one].language.name}
    </a>
  ))

export const languageMenu = (texts: Texts, current: string): Html => (
  <nav aria-label={texts.language}>{languageLinks(current)}</nav>
)

const footerHtml = (
  texts: Texts,
  language: string,
  { help, terms, privacy, sandbox }: FooterLinks,
): Html => {
  const links = [
    { href: help, text: texts.help },
    { href: terms, text: texts.terms },
    { href: privacy, text: texts.privacy },
    { href: sandbox, text: texts.sandbox },
  ].flatMap(({ href, text }) => (href === undefined ? [] : [{ href, text }]))
  return (
    <footer>
      {links.map((link) => (
        <Link {...link} rel="noopener" />
      ))}
      {languageMenu(texts, language)}
    </footer>
  )
}

/** Routes for browsers: not cached, errors as pages. */
export const asPages = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({
    ...route,
    headers: { 'Cache-Control': 'no-store' },
    ownErrors: { type: 'text/html', schema: z.string() },
  }))

type Answered = {
  readonly status: RawStatus
  readonly retryAfter?: Seconds | null
  readonly cookies: readonly string[]
}

export const htmlReply = (
  text: string,
  headers: Readonly<Record<string, string>>,
  { status, retryAfter = null, cookies }: Answered,
): RawReply => ({
  status,
  type: 'text/html; charset=utf-8',
  body: String(text),
  headers: { ...headers, ...(retryAfter !== null && { 'Retry-After': String(retryAfter) }) },
  cookies,
})

type Document = {
  readonly language: string
  readonly title: string
  /** Styles and scripts. */
  readonly head: Html
  readonly body: Html
}

/** A whole page. Its head is a template: elements of it would be sorted by hono/jsx. */
export const documentText = async ({ language, title, head, body }: Document): Promise<string> =>
  String(
    await html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <link rel="icon" href="/favicon.ico" />
          ${head}
        </head>
        ${body}
      </html>`,
  )

/** Reloads a page in browsers without scripts. */
export const refreshOf = (seconds: number | undefined): Html =>
  seconds !== undefined && (
    <noscript>
      <meta http-equiv="refresh" content={String(seconds)} />
    </noscript>
  )

export const pageReply = async (page: Page): Promise<RawReply> => {
  const { language, title, body, status = 200, cookies = [], leadsOut, refreshAfter } = page
  const { retryAfter = null, texts } = page
  const head = [
    refreshOf(refreshAfter),
    <link rel="stylesheet" href="/payer/style.css" />,
    <script src="/payer/live.js" defer></script>,
  ]
  const whole = (
    <body>
      <header>
        <span class="brand">{brandMark} daybook</span>
        {page.menu && menuHtml(texts, page.menu)}
      </header>
      <main>{body}</main>
      {footerHtml(texts, language, page.footer)}
    </body>
  )
  const text = await documentText({ language, title, head, body: whole })
  return htmlReply(text, pageHeaders(page.isSecure, leadsOut), { status, retryAfter, cookies })
}

export const redirectReply = (
  location: string,
  isSecure: boolean,
  cookies: readonly string[] = [],
): RawReply => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: '',
  headers: { ...pageHeaders(isSecure), Location: location },
  cookies,
})
