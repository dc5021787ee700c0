import { html } from 'hono/html'
import { filledText } from '../../application/filled-text.ts'
import type { Html } from '../payer/page.ts'
import { hiddenFields } from '../payer/session.ts'
import { filled, unseen } from '../payer/words.ts'
import { portalPath } from './areas.ts'
import type { LobbyVisitor } from '../staff/frame.ts'
import type { PortalPage, PortalShop } from './page.ts'
import { formPage } from './parts.ts'
import { lobbyTexts } from './texts-lobby.ts'
import { staffTexts } from './texts-staff.ts'

export const lobbyPath = '/portal/'

export type Known = { readonly shop: PortalShop; readonly member: string; readonly role: Html }

export const shopHtml = ({ language }: LobbyVisitor, { shop, role }: Known): Html => {
  const texts = lobbyTexts[language]
  const state = !shop.isDisabled ? '' : shop.waits ? texts.waits : texts.disabled
  return html`<li>
    <a class="row forth" href="${portalPath(shop.merchant)}">
      <span
        ><span class="name">${shop.name}</span>
        <span class="quiet small">${shop.merchant} · ${role}</span></span
      >
      ${state === '' ? '' : html`<b class="badge">${state}</b>`}
    </a>
    <a class="button slim danger" href="${lobbyPath}?leave=${shop.merchant}"
      >${filledText(texts.leave, shop.name)}</a
    >
  </li>`
}

export const invitationHtml = (visitor: LobbyVisitor, { shop, member, role }: Known): Html => {
  const texts = lobbyTexts[visitor.language]
  return html`<li>
    <form class="row" method="post" action="${lobbyPath}">
      ${hiddenFields({ csrf: visitor.csrf, merchant: shop.merchant, member })}
      <span
        ><span class="name">${shop.name}</span>
        <span class="quiet small">${filled(texts.invitedAs, role)}</span></span
      >
      <span class="buttons">
        <button class="slim" name="decision" value="accept">
          ${texts.accept}${unseen(` ${shop.name}`)}
        </button>
        <button class="slim second" name="decision" value="decline">
          ${texts.decline}${unseen(` ${shop.name}`)}
        </button>
      </span>
    </form>
  </li>`
}

/** What leaving means, before it is done. */
export const leavePage = (visitor: LobbyVisitor, { shop, member }: Known): PortalPage => {
  const texts = lobbyTexts[visitor.language]
  const title = filledText(texts.leave, shop.name)
  const { leaveWhat } = staffTexts[visitor.language]
  return formPage(visitor, {
    ...{ title, button: title, isDangerous: true, fields: html`<p>${leaveWhat}</p>` },
    ...{ action: lobbyPath, hidden: { merchant: shop.merchant, member, decision: 'decline' } },
    ...{ back: lobbyPath, backText: texts.leaveNo },
  })
}

export const listHtml = (items: readonly Html[]): Html =>
  html`<ul class="list">
    ${items}
  </ul>`
