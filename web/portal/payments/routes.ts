import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import type { PortalNeeds } from '../guard.ts'
import { portalPages, type PortalPages } from '../pages.ts'
import { paymentActionRoutes } from './action.ts'
import type { PaymentActionNeeds } from './action-page.ts'
import { evidenceRoute, type EvidenceNeeds } from './disputes.tsx'
import { paymentListRoute } from './list.tsx'
import { livePaymentRoutes, type LivePaymentNeeds } from './live.ts'
import { paymentPageRoute } from './payment-page.tsx'
import type { Find } from '../../../application/find-state.ts'
import type { makeReceipts } from '../../../audit/transparency/receipts.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf } from '../../../http/call.ts'
import { receiptQuery, receiptStream } from '../../../http/merchant/receipt.ts'
import { pictureReply, type PayerAttachmentNeeds } from '../../payer/attachment.tsx'
import { pageHeaders } from '../../ui/page.tsx'
import {
  findPayment,
  paymentParams,
  filtersOf,
  paymentListQuery,
  writePlace,
  type Filters,
} from './query.ts'
import { z } from 'zod'
import { formatAmount } from '../../../domain/money/money.ts'
import type { Instant } from '../../../domain/time.ts'
import { dateIn, type TimeZone } from '../../../domain/time-zone.ts'
import { dateTimeIn } from '../../../application/date-time.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import { statusCodeOf, statusOf } from '../../../projections/payment-search.ts'
import { sumsOfRow } from './state.tsx'
import { csvDownload, textStream } from '../../../http/text-stream.ts'
import { paymentSearch, type Found, type PaymentSearchNeeds } from './search.ts'

type PaymentCsvNeeds = PaymentSearchNeeds & {
  readonly isSecure: boolean
  readonly caughtUp: () => Promise<void>
  readonly showCustomer: (customer: string | null) => string | null
  /** A cell that no spreadsheet runs as a formula. */
  readonly textCell: (text: string | null) => string
}

const mostCsvLines = 100_000

const linesAPart = 1_000

const columnsIn = (timeZone: string) => [
  ...[
    'tid',
    'pos_id',
    'pos_tid',
    `requested (${timeZone})`,
    'status',
    'status_code',
    'customer',
    'currency',
  ],
  ...['amount', 'additional_amount', 'reserved', 'captured', 'refunded', 'credit', 'text'],
]

type Line = { readonly at: Instant; readonly timeIn: (at: Instant) => string }

const lineOf = ({ showCustomer, textCell }: PaymentCsvNeeds, row: PaymentRow, line: Line) => {
  const { at, timeIn } = line
  const amount = (minor: number) => formatAmount(minor, row.currency)
  const statusCode = statusCodeOf(row, at)
  const cells = [
    ...[row.tid, textCell(row.posId), textCell(row.posTid)],
    ...[
      timeIn(row.requestedAt),
      statusOf(statusCode),
      String(statusCode),
      textCell(showCustomer(row.customer)),
    ],
    ...[row.currency, amount(row.amount), amount(row.additionalAmount)],
    ...[amount(sumsOfRow(row, at).reserved), amount(row.captured), amount(row.refunded)],
    ...[row.credit ? 'credit' : '', textCell(row.text)],
  ]
  return `${cells.join(',')}\r\n`
}

type FindPage = (filters: Filters) => Promise<Found>

type Written = { readonly at: Instant; readonly timeZone: TimeZone }

async function* linesOf(
  needs: PaymentCsvNeeds,
  find: FindPage,
  first: Filters,
  { at, timeZone }: Written,
) {
  const timeIn = dateTimeIn(timeZone)
  yield `${columnsIn(timeZone).join(',')}\r\n`
  let filters: Filters | undefined = { ...first, behind: '' }
  for (let left = mostCsvLines; filters !== undefined && left > 0;) {
    const { rows, next }: Found = await find(filters)
    const taken = rows.slice(0, left)
    left -= taken.length
    yield taken.map((row) => lineOf(needs, row, { at, timeIn })).join('')
    filters = next === null ? undefined : { ...filters, behind: writePlace(next) }
  }
}

/** What a list shows, all pages of it. */
const paymentCsvRoute = (needs: PaymentCsvNeeds, { page }: PortalPages): Route => {
  const search = paymentSearch(needs)
  return page(
    {
      path: '/portal/:merchant/payments.csv',
      summary: 'The payments that the filters find, as CSV',
      action: 'download',
      area: 'payments',
      ownQuery: paymentListQuery.omit({ behind: true }),
      replyTypes: ['text/csv', 'text/html'],
    },
    async ({ shop, me }, call) => {
      await needs.caughtUp()
      const { at } = call
      const of = { shop, terms: me.terms }
      const find: FindPage = (filters) => search(of, filters, { limit: linesAPart, at })
      const name = `payments-${shop.merchant}-${dateIn(shop.timeZone, at)}.csv`
      const lines = linesOf(needs, find, filtersOf(searchOf(call)), {
        at,
        timeZone: shop.timeZone,
      })
      return csvDownload(name, textStream(lines), pageHeaders(needs.isSecure))
    },
  )
}

type PaymentFileNeeds = PayerAttachmentNeeds & {
  readonly find: Find
  readonly caughtUp: () => Promise<void>
  readonly receipts: Pick<ReturnType<typeof makeReceipts>, 'ofPayment'>
}

const place = { params: paymentParams, action: 'see_payments', area: 'payments' } as const

/** What belongs to a payment and is no page: its proof, and its pictures. */
const paymentFileRoutes = (needs: PaymentFileNeeds, { page }: PortalPages): Route[] => {
  const find = findPayment(needs)
  return [
    page(
      {
        ...place,
        path: '/portal/:merchant/payments/:tid/proof.json',
        summary: 'Prove a payment: its events with the proof that they stand in the log',
        ownQuery: receiptQuery,
        replyTypes: ['application/json', 'text/html'],
        errors: { 404: 'There is no such payment, or no checkpoint of that size so far.' },
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const { tid } = call.params
        await find(visitor, tid, call.at)
        const query = receiptQuery.safeParse(Object.fromEntries(searchOf(call)))
        if (!query.success) return refuse('resource_is_unknown')
        const receipt = await needs.receipts.ofPayment(tid, query.data.from)
        const { merchant } = visitor.shop
        return {
          type: 'application/json',
          body: receiptStream({ merchant, about: { payment: tid } }, receipt),
          headers: {
            ...pageHeaders(needs.isSecure),
            'Content-Disposition': `attachment; filename="proof-${tid}.json"`,
          },
        }
      },
    ),
    page(
      {
        ...place,
        path: '/portal/:merchant/payments/:tid/attachment/:attachment_id',
        summary: 'A picture that is attached to a payment',
        params: paymentParams.extend({ attachment_id: z.string() }),
        replyTypes: ['image/png', 'text/html'],
      },
      async (visitor, call) => {
        await needs.caughtUp()
        const { tid, attachment_id: attachment } = call.params
        await find(visitor, tid, call.at)
        return pictureReply(needs, tid, attachment)
      },
    ),
  ]
}

type PortalPaymentNeeds = PortalNeeds &
  LivePaymentNeeds &
  PaymentCsvNeeds &
  PaymentActionNeeds &
  PaymentFileNeeds &
  EvidenceNeeds

/** Payments, as the staff of a merchant see them (interface 18). */
export const portalPaymentRoutes = (needs: PortalPaymentNeeds, visits: Visits): Route[] => {
  const pages = portalPages(needs, visits)
  return [
    paymentListRoute(needs, pages),
    paymentCsvRoute(needs, pages),
    paymentPageRoute(needs, pages),
    ...paymentActionRoutes(needs, pages, visits),
    ...paymentFileRoutes(needs, pages),
    ...livePaymentRoutes(needs, pages),
    evidenceRoute(needs, pages, visits),
  ]
}
