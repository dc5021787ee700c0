import { html } from 'hono/html'
import type { WaitingKind } from '../../application/change-owners.ts'
import { filledText } from '../../application/filled-text.ts'
import type { AskedChange } from '../../domain/accounting/account-change.ts'
import type { AskedOwnerChange } from '../../domain/merchant/owner-change.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import { hiddenFields } from '../payer/session.ts'
import { filled, unseen } from '../ui/words.ts'
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

export type WaitingNeeds = {
  readonly accountChanges: {
    find(merchant: string): { readonly asked: AskedChange } | undefined
  }
  readonly ownerChanges: {
    find(merchant: string): { readonly asked: AskedOwnerChange } | undefined
  }
}

/** Changes of a merchant that wait, each with the form that withdraws it. */
export const waitingHtml = (
  needs: WaitingNeeds,
  { language, locale, csrf }: LobbyVisitor,
  { merchant, name }: PortalShop,
  member: string,
): readonly Html[] => {
  const texts = lobbyTexts[language]
  const account = needs.accountChanges.find(merchant)?.asked
  const owner = needs.ownerChanges.find(merchant)?.asked
  const from = (asked: { readonly takesEffectAt: number }) => shownTime(asked.takesEffectAt, locale)
  const one = (kind: WaitingKind, change: string, text: Html) =>
    html`<li>
      <form class="row" method="post" action="${lobbyPath}">
        ${hiddenFields({ csrf, merchant, member, kind, change })}
        <span><span class="name">${name}</span> <span class="quiet small">${text}</span></span>
        <button class="slim second" name="decision" value="withdraw">
          ${staffTexts[language].withdraw}${unseen(` ${name}`)}
        </button>
      </form>
    </li>`
  return [
    ...(account
      ? [
          one(
            'account',
            account.change,
            filled(texts.waitingAccount, account.payoutAccount.slice(-4), from(account)),
          ),
        ]
      : []),
    ...(owner ? [one('owner', owner.change, filled(texts.waitingOwner, from(owner)))] : []),
  ]
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
