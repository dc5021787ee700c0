import { z } from 'zod'
import { dayMs, type Instant } from '../../../domain/time.ts'
import { dayIn, startOf, type DayNumber, type TimeZone } from '../../../domain/time-zone.ts'
import type { PaymentPlace } from '../../../projections/payment-list.ts'
import {
  everyPayment,
  type PaymentFilter,
  statusCodeOf,
} from '../../../projections/payment-search.ts'
import { typedAmount } from '../../ui/money.tsx'
import type { Find } from '../../../application/find-state.ts'
import { previewPayment } from '../../../application/payment-acts.ts'
import { payments } from '../../../domain/aggregates.ts'
import { isTheirPos } from '../../../domain/merchant/staff-roles.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { refuse } from '../../../domain/refusal.ts'
import { generatedId } from '../../../http/addresses.ts'
import type { PortalVisitor } from '../page.tsx'
import { shopParams } from '../pages.ts'
import type { PaymentRecord, PaymentMessage } from '../../../application/payment-history.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'

export const paymentParams = shopParams.extend({ tid: generatedId })

export const paymentPath = (tid: string, more = ''): string => `payments/${tid}${more}`

/**
 * A payment of this merchant that the role may see, as it is at that moment: an expiry takes effect
 * at its instant. @throws Refusal resource_is_unknown
 */
export const findPayment =
  ({ find }: { readonly find: Find }) =>
  async (
    { shop, me }: Pick<PortalVisitor, 'shop' | 'me'>,
    tid: string,
    at: Instant,
  ): Promise<RequestedPayment> => {
    const payment = await find(payments, tid, 'log')
    if (payment.status === 'unrequested') return refuse('resource_is_unknown')
    const { merchant, posId } = payment.request
    if (merchant !== shop.merchant || !isTheirPos(me.terms, posId))
      return refuse('resource_is_unknown')
    return previewPayment(payment, { type: 'ExpirePayment', at }, at).after
  }

/** Points of sale, at most some hundreds. */
export type PosOf = (merchant: string) => readonly { readonly id: string; readonly name: string }[]

/** What people call each point of sale, with its id where others have the same name. */
export const namesOfPos = (
  { posOf }: { readonly posOf: PosOf },
  merchant: string,
): ReadonlyMap<string, string> => {
  const known = posOf(merchant)
  const uses = new Map<string, number>()
  for (const { name } of known) uses.set(name, (uses.get(name) ?? 0) + 1)
  const isShared = (name: string) => (uses.get(name) ?? 0) > 1
  return new Map(known.map(({ id, name }) => [id, isShared(name) ? `${name} (${id})` : name]))
}

const text = (description: string) => z.string().max(300).optional().meta({ description })

/** The filters of a list stand in its address. */
export const paymentListQuery = z.object({
  q: text('A payment id, an order number (`pos_tid`), or a customer as the merchant named them.'),
  status: text('`pending`, `auth`, `ok`, `fail` or `refunded`.'),
  pos: text('Of this point of sale.'),
  since: text('From this day on, `YYYY-MM-DD`.'),
  until: text('Up to and with this day.'),
  least: text('Of at least this amount.'),
  most: text('Of at most this amount.'),
  sort: text('`largest`; else the newest come first.'),
  behind: text('Opaque: out of the link to the next page.'),
})

export type Filters = { readonly [Name in keyof z.output<typeof paymentListQuery>]-?: string }

export const filterNames = Object.keys(paymentListQuery.shape) as (keyof Filters)[]

export const filtersOf = (search: URLSearchParams): Filters =>
  Object.fromEntries(
    filterNames.map((name) => [name, (search.get(name) ?? '').trim().slice(0, 300)]),
  ) as Filters

/** The address of a list with other filters; a page further on only if it is given. */
export const addressOf = (path: string, filters: Filters, changes: Partial<Filters>): string => {
  const search = new URLSearchParams()
  for (const name of filterNames) {
    const value = { ...filters, behind: '', ...changes }[name]
    if (value !== '') search.set(name, value)
  }
  const query = search.toString()
  return query === '' ? path : `${path}?${query}`
}

export const writePlace = ({ amount, at, position }: PaymentPlace): string =>
  [amount, at, position].join('-')

export const readPlace = (text: string): PaymentPlace | null => {
  const [, amount, at, position] = /^(\d{1,15})-(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  if (amount === undefined) return null
  return { amount: Number(amount), at: Number(at), position: Number(position) }
}

export const statuses = ['pending', 'auth', 'ok', 'refunded', 'fail'] as const

const isStatus = (text: string): text is (typeof statuses)[number] =>
  (statuses as readonly string[]).includes(text)

/** The number of a day; null for a text that is no day. */
export const dayNumber = (text: string): DayNumber | null => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) return null
  return Math.round(at / dayMs)
}

export const textOfDay = (day: DayNumber): string =>
  new Date(day * dayMs).toISOString().slice(0, 10)

export const shortcuts = ['today', 'yesterday', 'lastWeek'] as const

export type Days = Pick<Filters, 'since' | 'until'>

/** The days that a list is often asked for, by the clocks of the merchant. */
export const usualDays = (
  timeZone: TimeZone,
  at: Instant,
): Readonly<Record<(typeof shortcuts)[number], Days>> => {
  const today = dayIn(timeZone, at)
  const days = (first: number, last: number): Days => ({
    since: textOfDay(today - first),
    until: textOfDay(today - last),
  })
  return { today: days(0, 0), yesterday: days(1, 1), lastWeek: days(6, 0) }
}

type Problem = 'wrongDay' | 'wrongDays' | 'wrongAmount' | 'wrongAmounts'

export type FilterQuery = {
  /** All but the customer, who is looked for. */
  readonly filter: PaymentFilter
  readonly problems: Readonly<Partial<Record<keyof Filters, Problem>>>
}

/** What the filters ask for. What cannot be read is told, and is as if it were not there. */
export const readFilters = (
  filters: Filters,
  { currency, timeZone }: { readonly currency: string; readonly timeZone: TimeZone },
): FilterQuery => {
  const problems: Partial<Record<keyof Filters, Problem>> = {}
  const dayIn = (name: 'since' | 'until', added: 0 | 1, none: Instant): Instant => {
    if (filters[name] === '') return none
    const day = dayNumber(filters[name])
    if (day === null) problems[name] = 'wrongDay'
    return day === null ? none : startOf(timeZone, day + added)
  }
  const amountIn = (name: 'least' | 'most', none: number): number => {
    if (filters[name] === '') return none
    const amount = typedAmount(filters[name], currency)
    if (amount === undefined) problems[name] = 'wrongAmount'
    return amount ?? none
  }
  const { status, pos, sort } = filters
  const filter: PaymentFilter = {
    ...everyPayment,
    status: isStatus(status) ? status : null,
    posIds: pos === '' ? null : [pos],
    since: dayIn('since', 0, everyPayment.since),
    before: dayIn('until', 1, everyPayment.before),
    least: amountIn('least', everyPayment.least),
    most: amountIn('most', everyPayment.most),
    order: sort === 'largest' ? 'largest' : 'newest',
  }
  if (filter.before <= filter.since) problems.until ??= 'wrongDays'
  if (filter.most < filter.least) problems.most ??= 'wrongAmounts'
  return { filter, problems }
}

export type Needs = { readonly digestOf: (text: string) => string }

export const markOfAll = ({ digestOf }: Needs, view: unknown): string =>
  digestOf(JSON.stringify(view)).slice(0, 16)

/** What a page shows of a payment changes when this does. */
export const markOf = (
  needs: Needs,
  events: readonly PaymentRecord[],
  messages: readonly PaymentMessage[],
): string => {
  const states = messages.map(({ status, attempts }) => [status, attempts])
  return markOfAll(needs, [events[0]?.revision, states])
}

/** What a list shows changes when this does. */
export const listMark = (needs: Needs, rows: readonly PaymentRow[], at: number): string => {
  const marks = rows.map((row) => [row.tid, statusCodeOf(row, at), row.captured, row.refunded])
  return markOfAll(needs, marks)
}
