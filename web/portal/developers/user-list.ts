import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { mayRefund, type UserData } from '../../../domain/merchant/user.ts'
import type { Html } from '../../ui/page.ts'
import { linkToOlder } from '../../ui/paging.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { card, headedTable } from '../parts.ts'
import { codeBlock, copyHtml, developersPage, developersPath, factsHtml, textsOf } from './parts.ts'
import { docsLink, docsLinks, secretSnippet, type SnippetNeeds } from './code-page.ts'

export type UserRow = {
  readonly position: number
  readonly data: UserData
  readonly isDisabled: boolean
}

export type UserListNeeds = SnippetNeeds & {
  readonly users: {
    list(merchant: string, before: number, limit: number): readonly UserRow[]
  }
}

const shownAtOnce = 100

/** What shows whether a user signs, has a secret, or is disabled. */
export const userBadges = (visitor: PortalVisitor, { data, isDisabled }: UserRow): Html => {
  const texts = textsOf(visitor)
  return html`<span class="badges"
    >${isDisabled ? html`<b class="badge bad">${texts.disabled}</b>` : ''}
    ${data.publicKey === null ? '' : html`<b class="badge good">${texts.key}</b>`}
    ${data.secretHash === null ? '' : html`<b class="badge">${texts.secret}</b>`}
    ${mayRefund(data) ? html`<b class="badge warn">${texts.refunds}</b>` : ''}</span
  >`
}

export const userPath = (merchant: string, id: string, search = ''): string =>
  developersPath(merchant, `users/${encodeURIComponent(id)}${search}`)

const rowHtml = (visitor: PortalVisitor, row: UserRow): Html => {
  const texts = textsOf(visitor)
  const { id, roles, netmask } = row.data
  return html`<tr>
    <th scope="row"><a href="${userPath(visitor.shop.merchant, id)}">${id}</a></th>
    <td>${userBadges(visitor, row)}</td>
    <td>${roles.includes('superuser') ? texts.superuser : texts.user}</td>
    <td>${netmask ?? html`<span class="quiet">${texts.anywhere}</span>`}</td>
  </tr>`
}

const tableHtml = (visitor: PortalVisitor, rows: readonly UserRow[]): Html => {
  const texts = textsOf(visitor)
  const heads = [texts.name, texts.signsInWith, texts.role, texts.from]
  const shown = rows.map((row) => rowHtml(visitor, row))
  return html`<div class="scroll">${headedTable('grid stacks', heads, shown)}</div>`
}

/** The merchant's own ids, and a first request with them. */
const startHtml = (
  needs: UserListNeeds,
  visitor: PortalVisitor,
  first: UserRow | undefined,
): Html => {
  const texts = textsOf(visitor)
  const { merchant } = visitor.shop
  const user = first?.data.id ?? 'till-1'
  return card(
    texts.start,
    html`${factsHtml([
        [texts.address, copyHtml(visitor, 'base', needs.links.full('/merchant/v1/'))],
        [texts.merchantId, copyHtml(visitor, 'merchant', merchant)],
      ])}
      ${codeBlock(visitor, 'first', secretSnippet(needs, { merchant, user }, '…'))}
      <ul class="dev-links">
        ${docsLinks(visitor, user).map((link) => html`<li>${docsLink(link)}</li>`)}
      </ul>`,
  )
}

export const userListPage = (
  needs: UserListNeeds,
  visitor: PortalVisitor,
  before: number,
  done: string | undefined,
): PortalPage => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const path = developersPath(shop.merchant)
  const found = needs.users.list(shop.merchant, before, shownAtOnce + 1)
  const rows = found.slice(0, shownAtOnce)
  const last = found.length > shownAtOnce ? rows.at(-1) : undefined
  return developersPage(visitor, {
    tab: 'users',
    title: texts.tab_users,
    done,
    actions: mayDo(me.terms, 'change_api_users')
      ? html`<a class="button" href="${path}?add">${texts.addUser}</a>`
      : '',
    body: html`<div class="beside">
      ${card(
        texts.tab_users,
        html`<p class="quiet small">${texts.usersWhat}</p>
          ${rows.length === 0 ? html`<p>${texts.noUsers}</p>` : tableHtml(visitor, rows)}
          ${linkToOlder(visitor, last && `${path}?before=${last.position}`)}`,
      )}
      ${startHtml(needs, visitor, rows.at(-1))}
    </div>`,
  })
}
