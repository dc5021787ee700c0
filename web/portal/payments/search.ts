import type { Instant } from '../../../domain/time.ts'
import { pointsOfSaleOf, type StaffTerms } from '../../../domain/merchant/staff-roles.ts'
import type { PaymentLists } from '../../../projections/payment-list.ts'
import {
  searchPayments,
  type PaymentPage,
  type SearchPayments,
  fitting,
  type PaymentFilter,
} from '../../../projections/payment-search.ts'
import type { PaymentRow } from '../../../projections/payment-table.ts'
import { nextTurn } from '../../../application/time-budget.ts'
import { readFilters, readPlace, type FilterQuery, type Filters } from './query.ts'

export type PaymentSearchNeeds = {
  readonly lists: PaymentLists
  readonly tidOf: (merchant: string, posId: string, posTid: string) => string
  /** Digits with country code of a number as people type it. */
  readonly readPhone: (typed: string) => string | undefined
  /** What payments of a customer are found by, if the merchant has ever called them so. */
  readonly keyOfCustomer: (merchant: string, text: string) => Promise<string | undefined>
}

export type Of = {
  readonly shop: {
    readonly merchant: string
    readonly currency: string
    readonly timeZone: string
  }
  readonly terms: StaffTerms
}

/** Points of sale that are looked through for an order number. */
const mostPointsOfSale = 1_000

/** Payments whose own id or order number this is. */
export const namedBy = (
  { lists, tidOf }: Pick<PaymentSearchNeeds, 'lists' | 'tidOf'>,
  { shop: { merchant }, terms }: Of,
  text: string,
): readonly PaymentRow[] => {
  if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(text)) return []
  const posIds = pointsOfSaleOf(terms) ?? lists.posIds(merchant, mostPointsOfSale)
  const tids = [text, ...posIds.map((posId) => tidOf(merchant, posId, text))]
  return tids.flatMap((tid) => {
    const row = lists.find(tid)
    return row?.merchant === merchant ? [row] : []
  })
}

/** Of a cashier, payments of their points of sale. */
export const bounded = (filter: PaymentFilter, terms: StaffTerms): PaymentFilter => {
  const own = pointsOfSaleOf(terms)
  if (own === null) return filter
  const posIds = filter.posIds?.filter((posId) => own.includes(posId)) ?? own
  return { ...filter, posIds }
}

export type Found = PaymentPage & Pick<FilterQuery, 'problems'>

const found = async (
  needs: PaymentSearchNeeds,
  search: SearchPayments,
  of: Of,
  filters: Filters,
  { limit, at }: { readonly limit: number; readonly at: Instant },
): Promise<Found> => {
  const { merchant } = of.shop
  const { filter, problems } = readFilters(filters, of.shop)
  const own = bounded(filter, of.terms)
  const behind = readPlace(filters.behind)
  if (filters.q === '') return { ...(await search(merchant, own, { behind, limit }, at)), problems }
  const named = behind === null ? namedBy(needs, of, filters.q).filter(fitting(own, at)) : []
  const phone = needs.readPhone(filters.q)
  const customerKey =
    (await needs.keyOfCustomer(merchant, filters.q)) ??
    (phone === undefined ? undefined : await needs.keyOfCustomer(merchant, phone))
  if (customerKey === undefined) return { rows: named, next: null, isUnfinished: false, problems }
  const theirs = await search(merchant, { ...own, customerKey }, { behind, limit }, at)
  const others = theirs.rows.filter(({ tid }) => named.every((row) => row.tid !== tid))
  return { ...theirs, rows: [...named, ...others], problems }
}

/** Finds what the filters of a list ask for, as far as the role may see it. */
export const paymentSearch = (needs: PaymentSearchNeeds) => {
  const search = searchPayments(needs.lists, nextTurn)
  return (of: Of, filters: Filters, page: { readonly limit: number; readonly at: Instant }) =>
    found(needs, search, of, filters, page)
}
