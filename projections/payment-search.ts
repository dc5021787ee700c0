import { defaultLedger } from '../domain/accounting/ledger.ts'
import type { Instant } from '../domain/time.ts'
import {
  listStart,
  placeOf,
  type PaymentLists,
  type PaymentPlace,
  type PaymentRange,
} from './payment-list.ts'
import type { PaymentRow } from './payment-table.ts'
import { statusCodes, type PaymentStatus } from '../domain/payment/status.ts'

export type PaymentFilter = {
  /** Null for every point of sale. */
  readonly posIds: readonly string[] | null
  /** Null for every ledger. */
  readonly ledger: string | null
  readonly status: PaymentStatus | 'refunded' | null
  /** Requested at or after this time. */
  readonly since: Instant
  readonly before: Instant
  /** Minimum amount, without the addition. */
  readonly least: number
  readonly most: number
  readonly customerKey: string | null
  readonly order: 'newest' | 'largest'
}

export const everyPayment: PaymentFilter = {
  posIds: null,
  ledger: null,
  status: null,
  customerKey: null,
  order: 'newest',
  since: 0,
  before: Number.MAX_SAFE_INTEGER,
  least: 0,
  most: Number.MAX_SAFE_INTEGER,
}

export type Fits = (row: PaymentRow) => boolean

/** Expiry takes effect at its instant, recorded or not (interface 4.5). */
export const statusCodeOf = (row: PaymentRow, at: Instant): number => {
  if (row.deadline === null || at < row.deadline) return row.statusCode
  return row.isWaiting ? statusCodes.REQUEST_EXPIRED : statusCodes.AUTH_EXPIRED
}

export const statusOf = (statusCode: number): PaymentStatus => {
  if (statusCode === statusCodes.PENDING) return 'pending'
  if (statusCode === statusCodes.AUTH) return 'auth'
  return statusCode === statusCodes.OK ? 'ok' : 'fail'
}

export type Placed = Pick<PaymentRow, 'amount' | 'requestedAt' | 'requestedPosition'>

export const byNewest = (a: Placed, b: Placed): number =>
  b.requestedAt - a.requestedAt || b.requestedPosition - a.requestedPosition

export const byLargest = (a: Placed, b: Placed): number => b.amount - a.amount || byNewest(a, b)

export const fitting =
  (filter: PaymentFilter, at: Instant): Fits =>
  (row) => {
    const { posIds, ledger, status, customerKey, since, before, least, most } = filter
    if (row.requestedAt < since || row.requestedAt >= before) return false
    if (row.amount < least || row.amount > most) return false
    if (posIds !== null && !posIds.includes(row.posId)) return false
    if (ledger !== null && row.ledger !== ledger) return false
    if (customerKey !== null && row.customerKey !== customerKey) return false
    if (status === null) return true
    return status === 'refunded' ? row.refunded > 0 : statusOf(statusCodeOf(row, at)) === status
  }

/** Payments of the default ledger have no index, as they are most. */
const ofOwnLedger = (ledger: string | null): string | null =>
  ledger === defaultLedger ? null : ledger

/** Whether an index contains little else than the matches. */
export const isNarrow = ({ posIds, ledger, status, customerKey }: PaymentFilter): boolean =>
  [customerKey, posIds, ofOwnLedger(ledger)].some((one) => one !== null) ||
  (status !== null && status !== 'ok')

export type PaymentPage = {
  readonly rows: readonly PaymentRow[]
  /** Null after the last page. */
  readonly next: PaymentPlace | null
  /** The scan limit was reached, so more matches may exist. */
  readonly isUnfinished: boolean
}

type Bounds = {
  /** Rows read per turn of the event loop. */
  readonly inTurn: number
  /** Maximum number to read and sort if no index has the requested order. */
  readonly few: number
  /** Maximum number to scan per page. */
  readonly most: number
}

/** A turn takes about a millisecond. */
const usualBounds: Bounds = { inTurn: 250, few: 2_000, most: 4_000 }

type Work = Bounds & { readonly turn: () => Promise<void> }

type Source = (range: Omit<PaymentRange, 'since'>) => readonly PaymentRow[]

/** With those whose expiry is not recorded yet (interface 4.5). */
const failedSource = (
  lists: PaymentLists,
  merchant: string,
  since: Instant,
  now: Instant,
): Source => {
  const overdue = lists.overdue(merchant, now).filter((row) => row.requestedAt >= since)
  return ({ behind, limit }) => {
    const { amount, at: requestedAt, position: requestedPosition } = behind
    const place = { amount, requestedAt, requestedPosition }
    const later = overdue.filter((row) => byNewest(row, place) > 0)
    const recorded = lists.failed(merchant, { behind, limit, since })
    return [...recorded, ...later].sort(byNewest).slice(0, limit)
  }
}

/** The narrowest index in order of time. */
const newestSource = (
  lists: PaymentLists,
  merchant: string,
  filter: PaymentFilter,
  at: Instant,
): Source => {
  const { customerKey, status, least, most, posIds, ledger, since } = filter
  const within = (range: Omit<PaymentRange, 'since'>) => ({ ...range, since })
  if (customerKey !== null) return (range) => lists.ofCustomer(merchant, customerKey, within(range))
  if (status === 'refunded') return (range) => lists.refunded(merchant, within(range))
  if (status === 'fail') return failedSource(lists, merchant, since, at)
  if (status === 'pending' || status === 'auth')
    return (range) => lists.open(merchant, status === 'pending', within(range))
  if (least === most) return (range) => lists.ofAmount(merchant, least, within(range))
  const own = ofOwnLedger(ledger)
  if (own !== null) return (range) => lists.inLedger(merchant, own, within(range))
  if (posIds === null) return (range) => lists.newest(merchant, within(range))
  return (range) =>
    posIds
      .flatMap((posId) => lists.atPos(merchant, posId, within(range)))
      .sort(byNewest)
      .slice(0, range.limit)
}

const largestSource =
  (lists: PaymentLists, merchant: string, { since, before, least }: PaymentFilter): Source =>
  (range) =>
    lists.largest(merchant, { ...range, since, before, least })

/** All matches, unless there are too many to scan. */
const allOf = async (
  source: Source,
  fits: Fits,
  behind: PaymentPlace,
  { inTurn, few, turn }: Work,
): Promise<PaymentRow[] | undefined> => {
  const found: PaymentRow[] = []
  let place = behind
  for (let examined = 0; examined < few; examined += inTurn) {
    const part = source({ behind: place, limit: inTurn })
    found.push(...part.filter(fits))
    const last = part.at(-1)
    if (last === undefined || part.length < inTurn) return found
    place = placeOf(last)
    await turn()
  }
  return undefined
}

const walk = async (
  source: Source,
  fits: Fits,
  { behind, limit }: Omit<PaymentRange, 'since'>,
  { inTurn, most, turn }: Work,
): Promise<PaymentPage> => {
  const rows: PaymentRow[] = []
  let place = behind
  let size = limit + 1
  for (let examined = 0; ;) {
    const part = source({ behind: place, limit: size })
    for (const row of part) {
      if (!fits(row)) continue
      if (rows.length === limit)
        return { rows, next: placeOf(rows.at(-1) ?? row), isUnfinished: false }
      rows.push(row)
    }
    const last = part.at(-1)
    if (last === undefined || part.length < size) return { rows, next: null, isUnfinished: false }
    place = placeOf(last)
    examined += part.length
    if (examined >= most) return { rows, next: place, isUnfinished: true }
    size = inTurn
    await turn()
  }
}

const pageOf = (
  all: readonly PaymentRow[],
  order: PaymentFilter['order'],
  { behind, limit }: Omit<PaymentRange, 'since'>,
): PaymentPage => {
  const { amount, at: requestedAt, position: requestedPosition } = behind
  const place = { amount, requestedAt, requestedPosition }
  const sort = order === 'newest' ? byNewest : byLargest
  const later = all.filter((row) => sort(row, place) > 0).sort(sort)
  const rows = later.slice(0, limit)
  const last = rows.at(-1)
  const next = last && later.length > limit ? placeOf(last) : null
  return { rows, next, isUnfinished: false }
}

/**
 * A page of a merchant's payments. Uses an index in the requested order if there is one, sorts
 * small sets in memory, and limits how much a page scans otherwise. `turn` lets other work run in
 * between.
 */
export const searchPayments =
  (lists: PaymentLists, turn: () => Promise<void>, bounds = usualBounds) =>
  async (
    merchant: string,
    filter: PaymentFilter,
    page: { readonly behind: PaymentPlace | null; readonly limit: number },
    at: Instant,
  ): Promise<PaymentPage> => {
    const { order, since, before, least, most } = filter
    const work = { ...bounds, turn }
    const fits = fitting(filter, at)
    const byTime = newestSource(lists, merchant, filter, at)
    const byAmount = largestSource(lists, merchant, filter)
    const startOfTime = { ...listStart, at: before, position: -1 }
    const startOfAmount = { ...listStart, amount: most }
    const isLimited = least > 0 || most < listStart.amount
    const isOfDays = since > 0 || before < listStart.at
    const range = { limit: page.limit, behind: page.behind ?? listStart }
    if (order === 'largest') {
      // A few days are sorted; over many days, the index of amounts finds the largest soon.
      const areFew = () => !lists.areMore(merchant, since, before, bounds.few - 1)
      const isSorted = isNarrow(filter) || (isOfDays && areFew())
      const all = isSorted ? await allOf(byTime, fits, startOfTime, work) : undefined
      if (all) return pageOf(all, order, range)
      return walk(byAmount, fits, { ...range, behind: page.behind ?? startOfAmount }, work)
    }
    if (isLimited && least !== most && !isNarrow(filter)) {
      const all = await allOf(byAmount, fits, startOfAmount, work)
      if (all) return pageOf(all, order, range)
    }
    return walk(byTime, fits, { ...range, behind: page.behind ?? startOfTime }, work)
  }

export type SearchPayments = ReturnType<typeof searchPayments>
