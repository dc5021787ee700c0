import { Card, Link, Table, type Row, type Html, List } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import { mayRefund, type UserData } from '../../../domain/merchant/user.ts'
import { linkToOlder } from '../../ui/paging.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import {
  codeBlock,
  copyHtml,
  developersPage,
  developersPath,
  factsHtml,
  textsOf,
} from './parts.tsx'
import { docsLink, docsLinks, secretSnippet, type SnippetNeeds } from './code-page.tsx'

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

const listedAtOnce = 100

/** What shows whether a user signs, has a secret, or is disabled. */
export const userBadges = (visitor: PortalVisitor, { data, isDisabled }: UserRow): Html => {
  const texts = textsOf(visitor)
  return (
    <span class="badges">
      {isDisabled && <b class="badge bad">{texts.disabled}</b>}
      {data.publicKey !== null && <b class="badge good">{texts.key}</b>}
      {data.secretHash !== null && <b class="badge">{texts.secret}</b>}
      {mayRefund(data) && <b class="badge warn">{texts.refunds}</b>}
    </span>
  )
}

export const userPath = (merchant: string, id: string, search = ''): string =>
  developersPath(merchant, `users/${encodeURIComponent(id)}${search}`)

const rowHtml = (visitor: PortalVisitor, row: UserRow): Row => {
  const texts = textsOf(visitor)
  const { id, roles, netmask } = row.data
  return [
    { head: <a href={userPath(visitor.shop.merchant, id)}>{id}</a> },
    userBadges(visitor, row),
    roles.includes('superuser') ? texts.superuser : texts.user,
    netmask ?? <span class="quiet">{texts.anywhere}</span>,
  ]
}

const tableHtml = (visitor: PortalVisitor, rows: readonly UserRow[]): Html => {
  const texts = textsOf(visitor)
  const heads = [texts.name, texts.signsInWith, texts.role, texts.from]
  const listed = rows.map((row) => rowHtml(visitor, row))
  return (
    <div class="scroll">
      <Table kind="grid stacks" heads={heads} rows={listed} />
    </div>
  )
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
  return (
    <Card title={texts.start}>
      {factsHtml([
        [texts.address, copyHtml(visitor, 'base', needs.links.full('/merchant/v1/'))],
        [texts.merchantId, copyHtml(visitor, 'merchant', merchant)],
      ])}
      {codeBlock(visitor, 'first', secretSnippet(needs, { merchant, user }, '…'))}
      <List kind="dev-links" items={docsLinks(visitor, user).map((link) => docsLink(link))} />
    </Card>
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
  const found = needs.users.list(shop.merchant, before, listedAtOnce + 1)
  const rows = found.slice(0, listedAtOnce)
  const last = found.length > listedAtOnce ? rows.at(-1) : undefined
  return developersPage(visitor, {
    tab: 'users',
    title: texts.tab_users,
    done,
    actions: mayDo(me.terms, 'change_api_users') ? (
      <Link class="button" href={`${path}?add`} text={texts.addUser} />
    ) : null,
    body: (
      <div class="beside">
        <Card title={texts.tab_users}>
          <p class="quiet small">{texts.usersWhat}</p>
          {rows.length === 0 ? <p>{texts.noUsers}</p> : tableHtml(visitor, rows)}
          {linkToOlder(visitor, last && `${path}?before=${last.position}`)}
        </Card>
        {startHtml(needs, visitor, rows.at(-1))}
      </div>
    ),
  })
}
