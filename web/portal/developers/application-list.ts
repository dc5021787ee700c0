import { html } from 'hono/html'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Html } from '../../ui/page.ts'
import { linkToOlder } from '../../ui/paging.ts'
import type { PortalPage, PortalVisitor } from '../page.ts'
import { card, headedTable } from '../parts.ts'
import type { Told } from './application-fields.ts'
import { docsPath } from './code-page.ts'
import { developersPage, developersPath, textsOf } from './parts.ts'

export type ApplicationRow = {
  readonly position: number
  readonly isDisabled: boolean
  readonly data: Told & {
    readonly clientId: string
    readonly merchant: string
    readonly secretHash: string | null
    readonly previousSecret?: { readonly hash: string; readonly until: Instant } | undefined
    readonly requiresDpop?: true | undefined
  }
}

export const applicationPath = (merchant: string, client: string, search = ''): string =>
  developersPath(merchant, `applications/${client}${search}`)

export const applicationsPath = (merchant: string): string =>
  developersPath(merchant, 'applications')

export const kindBadges = (visitor: PortalVisitor, { data, isDisabled }: ApplicationRow): Html => {
  const texts = textsOf(visitor)
  return html`<span class="badges"
    >${isDisabled ? html`<b class="badge bad">${texts.disabled}</b>` : ''}
    <b class="badge">${data.secretHash === null ? texts.public : texts.confidential}</b>
    ${data.requiresDpop ? html`<b class="badge good">DPoP</b>` : ''}</span
  >`
}

const rowHtml = (visitor: PortalVisitor, row: ApplicationRow): Html => {
  const { name, clientId, redirectUris } = row.data
  return html`<tr>
    <th scope="row">
      <a href="${applicationPath(visitor.shop.merchant, clientId)}">${name}</a>
    </th>
    <td><code>${clientId}</code></td>
    <td>${kindBadges(visitor, row)}</td>
    <td class="uris">${redirectUris.map((uri) => html`<code>${uri}</code> `)}</td>
  </tr>`
}

const tableHtml = (visitor: PortalVisitor, rows: readonly ApplicationRow[]): Html => {
  const texts = textsOf(visitor)
  const heads = [texts.name, texts.clientId, texts.kind, texts.redirectUris]
  const shown = rows.map((row) => rowHtml(visitor, row))
  return html`<div class="scroll">${headedTable('grid stacks', heads, shown)}</div>`
}

export const applicationListPage = (
  visitor: PortalVisitor,
  rows: readonly ApplicationRow[],
  older: number | undefined,
  done: string | undefined,
): PortalPage => {
  const texts = textsOf(visitor)
  const { shop, me } = visitor
  const path = applicationsPath(shop.merchant)
  return developersPage(visitor, {
    ...{ tab: 'applications', title: texts.tab_applications, done },
    actions: mayDo(me.terms, 'change_applications')
      ? html`<a class="button" href="${path}?add">${texts.addApplication}</a>`
      : '',
    body: card(
      texts.tab_applications,
      html`<p class="quiet small">
          ${texts.applicationsWhat} <a href="${docsPath(visitor, 'openid')}">${texts.docsOpenid}</a>
        </p>
        ${rows.length === 0 ? html`<p>${texts.noApplications}</p>` : tableHtml(visitor, rows)}
        ${linkToOlder(visitor, older === undefined ? undefined : `${path}?before=${older}`)}`,
    ),
  })
}
