import { html } from 'hono/html'
import type { WaitingKind } from '../../application/change-owners.ts'
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
import { textsIn } from '../../texts/catalogue.ts'
import type { StaffRole } from '../../domain/merchant/staff-roles.ts'

export const lobbyPath = '/portal/'

export type Known = { readonly shop: PortalShop; readonly member: string; readonly role: StaffRole }

export const shopHtml = ({ language }: LobbyVisitor, { shop, role }: Known): Html => {
  const texts = textsIn[language].lobby
  const state = !shop.isDisabled ? '' : shop.waits ? texts.waits : texts.disabled
  return html`<li>
    <a class="row forth" href="${portalPath(shop.merchant)}">
      <span
        ><span class="name">${shop.name}</span>
        <span class="quiet small">${texts.joinedAs({ merchant: shop.merchant, role })}</span></span
      >
      ${state === '' ? '' : html`<b class="badge">${state}</b>`}
    </a>
    <a class="button slim danger" href="${lobbyPath}?leave=${shop.merchant}"
      >${texts.leave({ merchant: shop.name })}</a
    >
  </li>`
}

export const invitationHtml = (visitor: LobbyVisitor, { shop, member, role }: Known): Html => {
  const texts = textsIn[visitor.language].lobby
  return html`<li>
    <form class="row" method="post" action="${lobbyPath}">
      ${hiddenFields({ csrf: visitor.csrf, merchant: shop.merchant, member })}
      <span
        ><span class="name">${shop.name}</span>
        <span class="quiet small">${texts.invitedAs({ role })}</span></span
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
  const texts = textsIn[language].lobby
  const account = needs.accountChanges.find(merchant)?.asked
  const owner = needs.ownerChanges.find(merchant)?.asked
  const from = (asked: { readonly takesEffectAt: number }) => shownTime(asked.takesEffectAt, locale)
  const one = (kind: WaitingKind, change: string, text: Html) =>
    html`<li>
      <form class="row" method="post" action="${lobbyPath}">
        ${hiddenFields({ csrf, merchant, member, kind, change })}
        <span><span class="name">${name}</span> <span class="quiet small">${text}</span></span>
        <button class="slim second" name="decision" value="withdraw">
          ${textsIn[language].staff.withdraw}${unseen(` ${name}`)}
        </button>
      </form>
    </li>`
  return [
    ...(account
      ? [
          one(
            'account',
            account.change,
            filled(texts.waitingAccount, {
              end: account.payoutAccount.slice(-4),
              time: from(account),
            }),
          ),
        ]
      : []),
    ...(owner
      ? [one('owner', owner.change, filled(texts.waitingOwner, { time: from(owner) }))]
      : []),
  ]
}

/** What leaving means, before it is done. */
export const leavePage = (visitor: LobbyVisitor, { shop, member }: Known): PortalPage => {
  const texts = textsIn[visitor.language].lobby
  const title = texts.leave({ merchant: shop.name })
  const { leaveWhat } = textsIn[visitor.language].staff
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
