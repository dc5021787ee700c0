import { nextTurn } from '../../application/time-budget.ts'
import { halfHourMs } from '../../domain/accounting/line-sums.ts'
import { addUp, negated, type Sum } from '../../domain/money/money.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import { dateIn, startOf, type TimeZone } from '../../domain/time-zone.ts'
import type { Queries } from '../../projections/read-models.ts'
import type { TransactionPlace } from '../../projections/transaction-row.ts'
import type { TransactionPage } from '../../projections/transactions.ts'
import { withAmounts } from '../../projections/transaction-sums.ts'

type Needs = Pick<Queries['accounting'], 'transactions' | 'transactionSums'>

type Place = { readonly date: string; readonly currency: string }

/** Days in a time zone; absent: any. */
type DayQuery = {
  readonly merchant: string
  readonly zone: TimeZone
  readonly order: 'oldest' | 'newest'
  readonly size: number
  readonly ledger?: string | undefined
  readonly currency?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
  readonly behind?: Place | undefined
}

export type Day = Place & ReturnType<typeof withAmounts> & { readonly net: Sum }

const numberOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayMs

const upToHalfHour = (at: Instant): Instant => Math.ceil(at / halfHourMs) * halfHourMs

const downToHalfHour = (at: Instant): Instant => Math.floor(at / halfHourMs) * halfHourMs

/** What adds to a day: a half hour, or a line where the period begins or ends within one. */
type Part = Place & Parameters<typeof withAmounts>[1]

const pageSize = 500

/** The lines of a part of a half hour. */
async function* linesOf({ transactions }: Needs, query: DayQuery): AsyncGenerator<Part> {
  const { zone, merchant, order, ledger, currency, since, until } = query
  const filter = { merchant, order, ledger, currency, since, until }
  let behind: TransactionPlace | null = null
  for (;;) {
    const { rows, next }: TransactionPage = await transactions.page(
      filter,
      behind,
      pageSize,
      nextTurn,
    )
    for (const { at, ...line } of rows) yield { ...line, date: dateIn(zone, at), count: 1 }
    if (next === null) return
    behind = next
  }
}

async function* halfHours(
  { transactionSums }: Needs,
  { merchant, zone, order, ledger, currency }: DayQuery,
  from: Instant,
  to: Instant,
): AsyncGenerator<Part> {
  for (let [left, right] = [from, to]; left < right;) {
    const found = transactionSums.list(order, { merchant, from: left, to: right })
    for (const sum of found)
      if ((ledger ?? sum.ledger) === sum.ledger && (currency ?? sum.currency) === sum.currency)
        yield { ...sum, date: dateIn(zone, sum.since) }
    const last = found.at(-1)
    if (!last) return
    if (order === 'oldest') left = last.since + 1
    else right = last.since
    await nextTurn()
  }
}

async function* partsOf(needs: Needs, query: DayQuery): AsyncGenerator<Part> {
  const { since = 0, until = Number.MAX_SAFE_INTEGER, order } = query
  const [first, last] = [upToHalfHour(since), downToHalfHour(until)]
  const within = (from: Instant, to: Instant) =>
    from < to ? linesOf(needs, { ...query, since: from, until: to }) : []
  if (first > last) return yield* within(since, until)
  const [start, end] = [within(since, first), within(last, until)]
  yield* order === 'oldest' ? start : end
  yield* halfHours(needs, query, first, last)
  yield* order === 'oldest' ? end : start
}

/** Only days that may come behind a place. */
const fromPlace = (query: DayQuery): DayQuery => {
  const { order, zone, behind, since = 0, until = Number.MAX_SAFE_INTEGER } = query
  if (!behind) return query
  const day = numberOf(behind.date)
  return order === 'oldest'
    ? { ...query, since: Math.max(since, startOf(zone, day)) }
    : { ...query, until: Math.min(until, startOf(zone, day + 1)) }
}

const textOf = ({ date, currency }: Place): string => `${date} ${currency}`

/** Days with the sums of their lines, after a place. */
export const listDays = async (
  needs: Needs,
  query: DayQuery,
): Promise<{ readonly rows: readonly Day[]; readonly next: Place | null }> => {
  const { order, size, behind } = query
  const rows: Day[] = []
  let day = new Map<string, ReturnType<typeof withAmounts>>()
  let date = ''
  const isBehind = (place: Place): boolean =>
    !behind ||
    (order === 'oldest' ? textOf(place) > textOf(behind) : textOf(place) < textOf(behind))
  const end = (): void => {
    const currencies = [...day].sort(([one], [other]) => (one < other ? -1 : 1))
    for (const [currency, sum] of order === 'oldest' ? currencies : currencies.reverse()) {
      const { gross, fee, interchange, vat } = sum
      const net = addUp(gross, ...[fee, interchange, vat].map(negated))
      if (isBehind({ date, currency })) rows.push({ date, currency, ...sum, net })
    }
    day = new Map()
  }
  for await (const part of partsOf(needs, fromPlace(query))) {
    if (part.date !== date) {
      end()
      if (rows.length > size) break
      date = part.date
    }
    day.set(part.currency, withAmounts(day.get(part.currency), part))
  }
  end()
  const next = rows.length > size ? (rows[size - 1] ?? null) : null
  return { rows: rows.slice(0, size), next }
}
