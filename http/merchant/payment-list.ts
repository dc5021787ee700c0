import { z } from 'zod'
import { nextTurn } from '../../application/time-budget.ts'
import type { Instant } from '../../domain/time.ts'
import {
  byNewest,
  everyPayment,
  fitting,
  searchPayments,
  statusCodeOf,
  statusOf,
  type PaymentPage,
  type PaymentFilter,
  type SearchPayments,
} from '../../projections/payment-search.ts'
import { listStart, placeOf, type PaymentPlace } from '../../projections/payment-list.ts'
import type { PaymentRow } from '../../projections/payment-table.ts'
import type { Queries } from '../../projections/read-models.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import { callerOf } from '../call.ts'
import { cursorOf, cursorText, linkFrom, pageSizeText } from '../lists.ts'
import { type Route, routesOf } from '../route.ts'
import { dateTime, dateTimeText, money, moneyIn } from '../wire.ts'
import { detailPath } from './payment.ts'

const status = z.enum(['pending', 'auth', 'ok', 'fail'])

const readPlace = ([at, position]: readonly string[]): PaymentPlace | undefined => {
  const place = { amount: listStart.amount, at: Number(at), position: Number(position) }
  return [place.at, place.position].every(Number.isSafeInteger) ? place : undefined
}

const query = z.strictObject({
  pos_id: z.string().optional(),
  pos_tid: z.string().optional(),
  status: status.optional(),
  since: dateTimeText.optional(),
  until: dateTimeText.optional(),
  ledger: z.string().optional(),
  customer: z.string().optional().meta({ description: 'As your requests name them.' }),
  size: pageSizeText,
  cursor: cursorText(readPlace),
})

type Query = z.output<typeof query>

const summary = z
  .object({
    tid: z.string(),
    uri: z.string(),
    pos_id: z.string(),
    pos_tid: z.string(),
    status,
    status_code: z.int(),
    currency: z.string(),
    amount: money.meta({ description: 'As requested, without an additional amount.' }),
    captured: money.meta({ description: 'With additional amounts; so is `refunded`.' }),
    refunded: money,
    customer: z.string().nullable(),
    date_created: dateTime,
    date_modified: dateTime,
  })
  .meta({ id: 'PaymentSummary' })

type PaymentListNeeds = {
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly lists: Queries['payments']['lists']
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  /** What payments of a customer are found by, if the merchant has ever called them so. */
  readonly keyOfCustomer: (merchant: string, text: string) => Promise<string | undefined>
  readonly showCustomer: (customer: string | null) => string | null
}

type Found = Pick<PaymentPage, 'rows' | 'next'>

const mostPointsOfSale = 1_000

/** Payments with the merchant's own id, each of another point of sale. */
const namedBy = (
  { lists, tidOf }: PaymentListNeeds,
  merchant: string,
  { posId, posTid }: { readonly posId: string | undefined; readonly posTid: string },
): readonly PaymentRow[] => {
  const posIds = posId === undefined ? lists.posIds(merchant, mostPointsOfSale) : [posId]
  return posIds
    .flatMap((one) => lists.find(tidOf(merchant, one, posTid)) ?? [])
    .filter((row) => row.merchant === merchant)
}

const pageOfFew = (all: readonly PaymentRow[], { cursor, size }: Query): Found => {
  const { at: requestedAt, position: requestedPosition } = cursor ?? listStart
  const place = { amount: 0, requestedAt, requestedPosition }
  const later = all.filter((row) => byNewest(row, place) > 0).toSorted(byNewest)
  const last = later[size - 1]
  return { rows: later.slice(0, size), next: last && later.length > size ? placeOf(last) : null }
}

/** A search that has looked through many rows goes on until the page is full. */
const walking =
  (search: SearchPayments) =>
  async (merchant: string, filter: PaymentFilter, input: Query, at: Instant): Promise<Found> => {
    const rows: PaymentRow[] = []
    let behind: PaymentPlace | null = input.cursor ?? null
    for (;;) {
      const limit = input.size - rows.length
      const page: PaymentPage = await search(merchant, filter, { behind, limit }, at)
      rows.push(...page.rows)
      behind = page.next
      if (!page.isUnfinished || rows.length === input.size) return { rows, next: behind }
    }
  }

const finding = (needs: PaymentListNeeds) => {
  const walk = walking(searchPayments(needs.lists, nextTurn))
  return async (merchant: string, input: Query, at: Instant): Promise<Found> => {
    const { pos_id: posId, pos_tid: posTid, status = null, ledger = null, customer } = input
    const key = customer === undefined ? null : await needs.keyOfCustomer(merchant, customer)
    if (key === undefined) return { rows: [], next: null }
    const { since = everyPayment.since, until: before = everyPayment.before } = input
    const posIds = posId === undefined ? null : [posId]
    const filter = { ...everyPayment, posIds, status, ledger, customerKey: key, since, before }
    if (posTid === undefined) return walk(merchant, filter, input, at)
    return pageOfFew(namedBy(needs, merchant, { posId, posTid }).filter(fitting(filter, at)), input)
  }
}

const viewOf = (
  { links, showCustomer }: PaymentListNeeds,
  row: PaymentRow,
  at: Instant,
): z.input<typeof summary> => {
  const amount = moneyIn(row.currency)
  const statusCode = statusCodeOf(row, at)
  const hasExpired = row.deadline !== null && at >= row.deadline
  return {
    tid: row.tid,
    uri: links.inBody(detailPath(row.tid)),
    pos_id: row.posId,
    pos_tid: row.posTid,
    status: statusOf(statusCode),
    status_code: statusCode,
    currency: row.currency,
    amount: amount(row.amount),
    captured: amount(row.captured),
    refunded: amount(row.refunded),
    customer: showCustomer(row.customer),
    date_created: row.requestedAt,
    date_modified: Math.max(row.modifiedAt, hasExpired ? (row.deadline ?? 0) : 0),
  }
}

/** `GET /merchant/v1/payments/`: payments by what the merchant knows of them. */
export const paymentListRoute = (needs: PaymentListNeeds): Route => {
  const find = finding(needs)
  const path = `${merchantPrefix}/payments/`
  return routesOf({ access: 'SECRET', group: 'Payment request' }).get(path, {
    summary: 'Find payments',
    description: 'Newest first, by when they were requested. All parts of the query must fit.',
    query,
    reply: z
      .object({ payments: z.array(summary), next: z.string().nullable() })
      .meta({ id: 'PaymentList' }),
    handle: async (call) => {
      const { merchant } = callerOf(call)
      await needs.caughtUp()
      const { rows, next } = await find(merchant, call.query, call.at)
      const cursor = next && cursorOf([next.at, next.position])
      return {
        payments: rows.map((row) => viewOf(needs, row, call.at)),
        next: cursor && linkFrom(needs.links, call, path, cursor),
      }
    },
  })
}
