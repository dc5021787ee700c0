import { Link, Table, type Row, type Html, Title } from '../../ui/components.tsx'
import { nextTurn } from '../../../application/time-budget.ts'
import { mayDo, pointsOfSaleOf } from '../../../domain/merchant/staff-roles.ts'
import type { Instant } from '../../../domain/time.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import { statusCodeOf } from '../../../projections/payment-search.ts'
import { searchOf } from '../../../http/call.ts'
import { minorText, shopTime } from '../../ui/money.tsx'
import type { Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.tsx'
import type { PortalPages } from '../pages.ts'
import { filtersHtml, shortcutsHtml, tabsHtml } from './filters.tsx'
import {
  namesOfPos,
  type PosOf,
  addressOf,
  filterNames,
  filtersOf,
  paymentListQuery,
  writePlace,
  type Filters,
  listMark,
} from './query.ts'
import { paymentSearch, type Found, type PaymentSearchNeeds } from './search.ts'
import { amountsOf, badgeHtml, sumsOfRow } from './state.tsx'
import { customerHtml, type CustomerNeeds } from './customer.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type PaymentListNeeds = PaymentSearchNeeds &
  CustomerNeeds & {
    readonly caughtUp: () => Promise<void>
    readonly posOf: PosOf
    readonly digestOf: (text: string) => string
  }

export const onPage = 50

type Listed = {
  readonly needs: PaymentListNeeds
  readonly visitor: PortalVisitor
  readonly at: Instant
  readonly names: ReadonlyMap<string, string>
}

const rowHtml = ({ needs, visitor, at, names }: Listed, row: PaymentRow): Row => {
  const { locale, shop, language } = visitor
  const texts = textsIn[language].payments
  const amount = (minor: number) => minorText(minor, row.currency, locale)
  const { captured, refunded } = row
  const standing = { captured, refunded, statusCode: statusCodeOf(row, at) }
  const { main, beside } = amountsOf(sumsOfRow(row, at))
  const pos = names.get(row.posId) ?? row.posId
  const about = row.text === null || row.text === '' ? null : <small>{row.text}</small>
  return [
    {
      kind: 'sum',
      text: [
        <a href={portalPath(shop.merchant, `payments/${row.tid}`)}>{amount(main[1])}</a>,
        main[0] !== 'paid' && <small>{texts[`is_${main[0]}`]}</small>,
        beside.map(([name, minor]) => (
          <small>{texts[`sum_${name}`]({ amount: amount(minor) })}</small>
        )),
      ],
    },
    { kind: 'is', text: badgeHtml(texts, standing) },
    {
      kind: 'what',
      text: [<span>{row.posTid}</span>, about],
    },
    { kind: 'whom', text: customerHtml(needs, visitor, row) },
    { kind: 'where', text: pos },
    { kind: 'when', text: shopTime(row.requestedAt, visitor) },
  ]
}

const tableHtml = (listed: Listed, rows: readonly PaymentRow[]): Html => {
  const texts = textsIn[listed.visitor.language].payments
  const heads = [
    texts.amount,
    texts.status,
    texts.orderNumber,
    texts.customer,
    texts.pos,
    texts.requested,
  ]
  const tableRows = rows.map((row) => rowHtml(listed, row))
  return <Table label={texts.payments} kind="payments" heads={heads} rows={tableRows} />
}

const moreHtml = (visitor: PortalVisitor, path: string, filters: Filters, found: Found): Html => {
  const texts = textsIn[visitor.language].payments
  const { next, isUnfinished } = found
  if (next === null) return []
  return [
    isUnfinished && <p class="quiet">{texts.unfinished}</p>,
    <p class="older">
      <Link
        class="button second"
        href={addressOf(path, filters, { behind: writePlace(next) })}
        text={isUnfinished ? texts.lookFurther : texts.older}
      />
    </p>,
  ]
}

const isFiltered = (filters: Filters): boolean => filterNames.some((name) => filters[name] !== '')

const bodyHtml = (listed: Listed, path: string, filters: Filters, found: Found): Html => {
  const { visitor, at, names } = listed
  const texts = textsIn[visitor.language].payments
  const own = pointsOfSaleOf(visitor.me.terms)
  const pointsOfSale = [...names].filter(([id]) => own === null || own.includes(id))
  const { problems, rows } = found
  const { timeZone } = visitor.shop
  const view = { texts, path, filters, problems, pointsOfSale, timeZone, at }
  const mayDownload = mayDo(visitor.me.terms, 'download')
  const nothing = isFiltered(filters) ? texts.noPayments : texts.empty
  return [
    <Title text={texts.payments}>
      {mayDownload && (
        <Link class="button second" href={addressOf(`${path}.csv`, filters, {})} text={texts.csv} />
      )}
    </Title>,
    tabsHtml(view),
    filtersHtml(view),
    shortcutsHtml(view),
    <section class="card flush" data-part="payments">
      {rows.length === 0 ? <p class="quiet nothing">{nothing}</p> : tableHtml(listed, rows)}
      {moreHtml(visitor, path, filters, found)}
    </section>,
  ]
}

/** The payments of a merchant, with their filters in the address. */
export const paymentListRoute = (needs: PaymentListNeeds, { page }: PortalPages): Route => {
  const search = paymentSearch(needs)
  return page(
    {
      path: '/portal/:merchant/payments',
      summary: 'The payments of a merchant, with filters',
      action: 'see_payments',
      area: 'payments',
      ownQuery: paymentListQuery,
    },
    async (visitor, call) => {
      await needs.caughtUp()
      const { at } = call
      const { shop, me } = visitor
      const filters = filtersOf(searchOf(call))
      const found = await search({ shop, terms: me.terms }, filters, { limit: onPage, at })
      // Captures have their turn before the page is made.
      await nextTurn()
      const listed = { needs, visitor, at, names: namesOfPos(needs, shop.merchant) }
      const path = portalPath(shop.merchant, 'payments')
      const mark = listMark(needs, found.rows, at)
      const events = addressOf(`${path}-events`, filters, { behind: filters.behind })
      const follow = `${events}${events.includes('?') ? '&' : '?'}at=${mark}`
      return {
        title: textsIn[visitor.language].payments.payments,
        body: bodyHtml(listed, path, filters, found),
        follow,
      }
    },
  )
}
