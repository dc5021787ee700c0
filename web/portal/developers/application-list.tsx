import { Card, Link, Table, type Row, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import { linkToOlder } from '../../ui/paging.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import type { PublicFields } from './application-fields.tsx'
import { docsPath } from './code-page.tsx'
import { developersPage, developersPath, textsOf } from './parts.tsx'

export type ApplicationRow = {
  readonly position: number
  readonly isDisabled: boolean
  readonly data: PublicFields & {
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
  return (
    <span class="badges">
      {isDisabled && <b class="badge bad">{texts.disabled}</b>}
      <b class="badge">{data.secretHash === null ? texts.public : texts.confidential}</b>
      {data.requiresDpop ? <b class="badge good">DPoP</b> : null}
    </span>
  )
}

const rowHtml = (visitor: PortalVisitor, row: ApplicationRow): Row => {
  const { name, clientId, redirectUris } = row.data
  return [
    { head: <a href={applicationPath(visitor.shop.merchant, clientId)}>{name}</a> },
    <code>{clientId}</code>,
    kindBadges(visitor, row),
    {
      kind: 'uris',
      text: redirectUris.map((uri) => [<code>{uri}</code>, ' ']),
    },
  ]
}

const tableHtml = (visitor: PortalVisitor, rows: readonly ApplicationRow[]): Html => {
  const texts = textsOf(visitor)
  const heads = [texts.name, texts.clientId, texts.kind, texts.redirectUris]
  const listed = rows.map((row) => rowHtml(visitor, row))
  return (
    <div class="scroll">
      <Table kind="grid stacks" heads={heads} rows={listed} />
    </div>
  )
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
    tab: 'applications',
    title: texts.tab_applications,
    done,
    actions: mayDo(me.terms, 'change_applications') ? (
      <Link class="button" href={`${path}?add`} text={texts.addApplication} />
    ) : null,
    body: (
      <Card title={texts.tab_applications}>
        <p class="quiet small">
          {texts.applicationsWhat} <a href={docsPath(visitor, 'openid')}>{texts.docsOpenid}</a>
        </p>
        {rows.length === 0 ? <p>{texts.noApplications}</p> : tableHtml(visitor, rows)}
        {linkToOlder(visitor, older === undefined ? undefined : `${path}?before=${older}`)}
      </Card>
    ),
  })
}
