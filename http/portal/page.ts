import { html } from 'hono/html'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import type { Seconds } from '../../domain/time.ts'
import { brandMark, pageHeaders, type Html } from '../payer/page.ts'
import { hiddenFields, type SignedIn } from '../payer/session.ts'
import type { Language } from '../payer/texts.ts'
import type { RawReply, RawStatus } from '../route.ts'
import { areas, iconHtml, portalPath, type Area } from './areas.ts'
import { frameTexts } from './texts.ts'

export type PortalShop = {
  readonly merchant: string
  readonly name: string
  readonly currency: string
  /** IANA. */
  readonly timeZone: string
  readonly isDisabled: boolean
  /** Whether it has signed up by itself. */
  readonly hasSignedUp: boolean
}

/** Somebody who has signed in and may work for some merchants. */
export type LobbyVisitor = SignedIn & {
  readonly language: Language
  readonly isSandbox: boolean
}

/** Somebody on the staff of the merchant whose page it is. */
export type PortalVisitor = LobbyVisitor & {
  readonly shop: PortalShop
  readonly me: StaffMember
  /** Whether there are other merchants to change to. */
  readonly hasOthers: boolean
}

export type PortalPage = {
  readonly title: string
  readonly body: Html
  readonly area?: Area
  readonly status?: RawStatus
  readonly retryAfter?: Seconds | null
  /** A path of server-sent events: parts with `data-part` are fetched again when they tell so. */
  readonly follow?: string
}

const isOfShop = (visitor: LobbyVisitor | PortalVisitor): visitor is PortalVisitor =>
  'shop' in visitor

const linkHtml = (visitor: PortalVisitor, area: Area, current: Area | undefined): Html | '' => {
  const place = areas[area]
  if (!mayDo(visitor.me.terms, place.action)) return ''
  const name = frameTexts[visitor.language][place.text]
  const href = portalPath(visitor.shop.merchant, place.path)
  return html`<a href="${href}" ${area === current ? html`aria-current="page"` : ''}
    >${iconHtml(place)}<span>${name}</span></a
  >`
}

const shopHtml = ({ shop, hasOthers, language, me }: PortalVisitor): Html => {
  const texts = frameTexts[language]
  const about = html`<b>${shop.name}</b
    ><span class="quiet small">${texts[`role_${me.terms.role}`]}</span>`
  return hasOthers
    ? html`<a class="shop-now" href="/portal/" title="${texts.otherMerchant}"
        ><span>${about}</span
        ><svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M6.5 8L10 4.5 13.5 8M6.5 12l3.5 3.5 3.5-3.5" /></svg
        ><span class="unseen">${texts.otherMerchant}</span></a
      >`
    : html`<div class="shop-now"><span>${about}</span></div>`
}

const noteHtml = ({ shop, language }: PortalVisitor): Html | '' => {
  if (!shop.isDisabled) return ''
  const texts = frameTexts[language]
  return html`<p class="note">${shop.hasSignedUp ? texts.approvalNote : texts.disabledNote}</p>`
}

const footHtml = ({ language, csrf, isSandbox }: LobbyVisitor): Html => {
  const texts = frameTexts[language]
  return html`<div class="side-foot">
    ${
      isSandbox
        ? html`<p class="sandbox" title="${texts.sandboxWhat}">${texts.sandboxNote}</p>`
        : ''
    }
    <a href="/payer/">${texts.account}</a>
    <form method="post" action="/payer/sign-out">
      ${hiddenFields({ csrf })}<button class="plain">${texts.signOut}</button>
    </form>
  </div>`
}

const sideHtml = (visitor: LobbyVisitor | PortalVisitor, area: Area | undefined): Html =>
  html`<header class="side">
    <a class="brand" href="/portal/">${brandMark} daybook</a>
    ${
      isOfShop(visitor)
        ? html`${shopHtml(visitor)}
            <nav aria-label="${frameTexts[visitor.language].menu}">
              ${(Object.keys(areas) as Area[]).map((one) => linkHtml(visitor, one, area))}
            </nav>`
        : ''
    }
    ${footHtml(visitor)}
  </header>`

/** A page of the portal; the same on a phone and on a wide screen. */
export const portalReply = async (
  visitor: LobbyVisitor | PortalVisitor,
  page: PortalPage,
  isSecure: boolean,
): Promise<RawReply> => {
  const { title, body, area, status = 200, retryAfter = null, follow } = page
  const { locale, language, cookies } = visitor
  const texts = frameTexts[language]
  const place = isOfShop(visitor) ? visitor.shop.name : texts.portal
  const text = await html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${place}</title>
        <link rel="icon" href="/favicon.ico" />
        <link rel="stylesheet" href="/payer/style.css" />
        <link rel="stylesheet" href="/portal/style.css" />
        <script src="/payer/live.js" defer></script>
        <script src="/portal/portal.js" defer></script>
      </head>
      <body class="portal">
        <a class="skip" href="#content">${texts.skip}</a>
        ${sideHtml(visitor, area)}
        <main id="content" ${follow === undefined ? '' : html`data-follow="${follow}"`}>
          ${isOfShop(visitor) ? noteHtml(visitor) : ''} ${body}
        </main>
      </body>
    </html>`
  return {
    status,
    type: 'text/html; charset=utf-8',
    body: String(text),
    headers: {
      ...pageHeaders(isSecure),
      ...(retryAfter !== null && { 'Retry-After': String(retryAfter) }),
    },
    cookies,
  }
}
