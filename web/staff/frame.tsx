import { Form, Link, type Html } from '../ui/components.tsx'
import type { Instant, Seconds } from '../../domain/time.ts'
import {
  brandMark,
  documentText,
  htmlReply,
  languageMenu,
  pageHeaders,
  refreshOf,
} from '../ui/page.tsx'
import { type SignedIn } from '../payer/session.tsx'
import type { RawReply, RawStatus } from '../../http/route.ts'
import { textsIn } from '../../texts/catalogue.ts'

/** Somebody who has signed in and may be on a staff. */
export type LobbyVisitor = SignedIn & {
  readonly isSandbox: boolean
  /** In production of the sandbox, in the sandbox of production. */
  readonly twinUrl: string | undefined
  /** By the clock of the service, which the sandbox moves. */
  readonly at: Instant
}

export type FramedPage = {
  readonly title: string
  readonly body: Html
  readonly status?: RawStatus
  readonly retryAfter?: Seconds | null
  /** A path of server-sent events: parts with `data-part` are fetched again when they tell so. */
  readonly follow?: string
  /** Reload interval for browsers without scripts, in seconds. */
  readonly refreshAfter?: number
}

/** A part of the pages of a staff. */
export type StaffArea<Text, Action> = {
  /** After the root of these pages. */
  readonly path: string
  readonly text: Text
  /** Whoever may not do it does not see the link. */
  readonly action: Action
  /** Strokes of an icon of 20 by 20. */
  readonly icon: string
}

export type Link = {
  readonly href: string
  readonly name: string
  /** Strokes of an icon of 20 by 20. */
  readonly icon: string
  readonly isCurrent: boolean
}

/** What stands around a page. */
export type Frame = {
  readonly home: string
  /** Behind the title of each page. */
  readonly place: string
  /** Above the menu. */
  readonly who: Html
  readonly menu: { readonly label: string; readonly links: readonly Link[] } | undefined
  /** Above the page. */
  readonly note: Html
  readonly styles: readonly string[]
}

const iconHtml = ({ icon }: Pick<Link, 'icon'>): Html => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={icon} />
  </svg>
)

const linkHtml = (link: Link): Html => (
  <a href={link.href} aria-current={link.isCurrent ? 'page' : undefined}>
    {iconHtml(link)}
    <span>{link.name}</span>
  </a>
)

/** Above every page of a sandbox. */
const barHtml = ({ language, twinUrl }: LobbyVisitor): Html => {
  const texts = textsIn[language].staffFrame
  return (
    <aside class="sandbox" aria-label={texts.sandboxNote}>
      <b>{texts.sandboxNote}</b> <span>{texts.sandboxWhat}</span>{' '}
      {twinUrl !== undefined && <Link href={`${twinUrl}/portal/`} text={texts.toProduction} />}
    </aside>
  )
}

const footHtml = ({ language, csrf }: LobbyVisitor): Html => {
  const texts = textsIn[language].staffFrame
  return (
    <div class="side-foot">
      <a href="/payer/">{texts.account}</a>
      <a href="/portal/account">{textsIn[language].notices.title}</a>
      <Form action="/payer/sign-out" hidden={{ csrf }}>
        <button class="plain">{texts.signOut}</button>
      </Form>
    </div>
  )
}

const sideHtml = (visitor: LobbyVisitor, { home, who, menu }: Frame): Html => (
  <header class="side">
    <a class="brand" href={home}>
      {brandMark} daybook
    </a>
    {who}
    {menu ? <nav aria-label={menu.label}>{menu.links.map(linkHtml)}</nav> : null}
    {footHtml(visitor)}
  </header>
)

const staleHtml = ({ language }: LobbyVisitor): Html => (
  <p class="note" role="status" data-stale="" hidden>
    {textsIn[language].staffFrame.stale}
  </p>
)

const mainHtml = (visitor: LobbyVisitor, { body, follow }: FramedPage, { note }: Frame): Html => (
  <main id="content" data-follow={follow === undefined ? undefined : follow}>
    {follow !== undefined && staleHtml(visitor)}
    {note} {body}
  </main>
)

/** A page for the staff; the same on a phone and on a wide screen. */
export const framedReply = async (
  visitor: LobbyVisitor,
  page: FramedPage,
  frame: Frame,
  isSecure: boolean,
): Promise<RawReply> => {
  const { title, status = 200, retryAfter = null, refreshAfter } = page
  const { locale, language, cookies } = visitor
  const head = [
    refreshOf(refreshAfter),
    ['/payer/style.css', ...frame.styles].map((href) => <link rel="stylesheet" href={href} />),
    <script src="/payer/live.js" defer></script>,
    <script src="/portal/portal.js" defer></script>,
  ]
  const body = (
    <body class="portal">
      <Link class="skip" href="#content" text={textsIn[language].staffFrame.skip} />
      {visitor.isSandbox && barHtml(visitor)}
      {sideHtml(visitor, frame)}
      {mainHtml(visitor, page, frame)}
      <footer>{languageMenu(visitor.texts, language)}</footer>
    </body>
  )
  const around = { language: locale, title: `${title} · ${frame.place}` }
  const text = await documentText({ ...around, head, body })
  return htmlReply(text, pageHeaders(isSecure), { status, retryAfter, cookies })
}
