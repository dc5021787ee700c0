import { batchPlace, feeOfBatch, type FundingAccount } from '../domain/accounting/funding-match.ts'
import type { Receipt } from '../domain/accounting/funding-receipt.ts'
import { fundingDifferences, fundingReceipts } from '../domain/aggregates.ts'
import { addUp, negated, type Sum } from '../domain/money/money.ts'
import { refuse } from '../domain/refusal.ts'
import { dayMs, type Instant } from '../domain/time.ts'
import { dayIn, startOf, type TimeZone } from '../domain/time-zone.ts'
import { personOf } from './corrections.ts'
import type { Context, Handle } from './handle.ts'
import type { ReceiptRow } from './receive-funding.ts'

/** Whose statements are watched, and since which day. */
export type FundingWatch = {
  readonly accounts: readonly FundingAccount[]
  /** `YYYY-MM-DD`: the first day whose money must arrive. */
  readonly since: string
  /** After so many days, money that has not arrived is a difference. */
  readonly dueDays: number
}

/** One day of the funding source in one currency: expected = received + explained + open. */
export type FundingDay = {
  readonly key: string
  readonly day: string
  readonly currency: string
  readonly captured: Sum
  /** Below zero. */
  readonly refunded: Sum
  /** Captured less refunded. */
  readonly expected: Sum
  readonly received: Sum
  /** Withheld fees, disputes, and what people have closed. */
  readonly explained: Sum
  readonly open: Sum
  /** Whether the money should be here: an open sum is a difference. */
  readonly isDue: boolean
}

/** Money that is missing (above zero), or that nothing expected (below zero). */
export type Difference = {
  /** `<day>-<currency>`, or the id of a receipt. */
  readonly key: string
  readonly day: string
  readonly currency: string
  readonly open: Sum
  /** Days since it could have been seen. */
  readonly age: number
  readonly owner: string | null
  readonly notes: readonly { readonly at: Instant; readonly by: string; readonly text: string }[]
  /** The movement; undefined for what is missing of a day. */
  readonly receipt: Receipt | undefined
}

type DifferenceRow = Pick<Difference, 'key' | 'owner' | 'notes'> & {
  readonly closed: Sum
  readonly closings: number
  /** What batches withhold by their rate, as far as it is booked. */
  readonly fee: Sum
}

export type BookNeeds = {
  readonly watch: FundingWatch | undefined
  readonly zone: TimeZone
  readonly now: () => Instant
  readonly funding: {
    funded(
      start: Instant,
      end: Instant,
    ): readonly {
      readonly currency: string
      readonly captured: number
      readonly refunded: number
    }[]
    days(
      from: string,
      to: string,
    ): readonly {
      readonly key: string
      readonly day: string
      readonly currency: string
      readonly received: Sum
      readonly explained: Sum
      readonly named: number
      readonly rates: Readonly<Record<string, number>>
    }[]
    differencesOfDays(from: string, to: string): readonly DifferenceRow[]
    difference(key: string): DifferenceRow | undefined
    openReceipts(): readonly ReceiptRow[]
    find(id: string): ReceiptRow | undefined
  }
}

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs

const dayOf = (number: number): string => new Date(number * dayMs).toISOString().slice(0, 10)

const keyPattern = /^(\d{4}-\d\d-\d\d)-([A-Z]{3})$/

type ReceivedDay = ReturnType<BookNeeds['funding']['days']>[number]

/** What batches of a day withhold of its captures by their rate. */
const feeOf = (
  { named, rates }: Pick<ReceivedDay, 'named' | 'rates'>,
  captured: number,
): number => {
  const known = Object.entries(rates).filter(([, batches]) => batches > 0)
  const rate = known
    .map(([one]) => one)
    .sort()
    .at(-1)
  return rate === undefined ? 0 : feeOfBatch(captured - named, rate)
}

/** Days from one on and before another, oldest first. */
const daysIn =
  ({ watch, zone, now, funding }: BookNeeds) =>
  (from: number, to: number): readonly FundingDay[] => {
    const span = [dayOf(from), dayOf(to)] as const
    const received = new Map(funding.days(...span).map((row) => [row.key, row]))
    const people = new Map(funding.differencesOfDays(...span).map((row) => [row.key, row]))
    const due = dayIn(zone, now()) - (watch?.dueDays ?? 0)
    const rows: FundingDay[] = []
    for (let number = from; number < to; number++) {
      const day = dayOf(number)
      const funded = new Map(
        funding
          .funded(startOf(zone, number), startOf(zone, number + 1))
          .map((one) => [`${day}-${one.currency}`, one]),
      )
      const keys = new Set(
        [...funded.keys(), ...received.keys()].filter((key) => key.startsWith(day)),
      )
      for (const key of [...keys].sort()) {
        const { captured = 0, refunded = 0 } = funded.get(key) ?? {}
        const got = received.get(key)
        const fee = got ? feeOf(got, captured) : 0
        const explained = addUp(got?.explained ?? '0', fee, people.get(key)?.closed ?? '0')
        const [expected, sum] = [addUp(captured, refunded), got?.received ?? '0']
        const open = addUp(expected, negated(sum), negated(explained))
        rows.push({
          key,
          day,
          currency: key.slice(11),
          expected,
          received: sum,
          explained,
          open,
          captured: String(captured),
          refunded: String(refunded),
          isDue: number < due || open.startsWith('-'),
        })
      }
    }
    return rows
  }

/** Days and differences of the funding source. */
export const fundingBook = (needs: BookNeeds) => {
  const { watch, zone, now, funding } = needs
  const today = (): number => dayIn(zone, now())
  const daysBetween = daysIn(needs)

  const ofPeople = (key: string) => {
    const { owner = null, notes = [], closed = '0' } = funding.difference(key) ?? {}
    return { key, owner, notes, closed }
  }

  const ofDay = ({ key, day, currency, open }: FundingDay): Difference => {
    const { closed: _, ...people } = ofPeople(key)
    const age = Math.max(0, today() - numberOf(day) - 1)
    return { ...people, day, currency, open, age, receipt: undefined }
  }

  const ofReceipt = ({ id, receipt, rest }: ReceiptRow): Difference => {
    const { closed, ...people } = ofPeople(id)
    const { day, currency } = receipt
    const open = addUp(negated(rest), negated(closed))
    return { ...people, day, currency, open, age: Math.max(0, today() - numberOf(day)), receipt }
  }

  const find = (key: string): Difference | undefined => {
    const [, day, currency] = keyPattern.exec(key) ?? []
    if (day === undefined) {
      const row = funding.find(key)
      return row && ofReceipt(row)
    }
    const found = daysBetween(numberOf(day), numberOf(day) + 1)
    const row = found.find((one) => one.currency === currency)
    return row && ofDay(row)
  }

  return {
    isWatched: watch !== undefined,
    /** The days until one and before it, newest first. */
    days: (until: string | undefined, count: number): readonly FundingDay[] => {
      const end = until === undefined ? today() + 1 : numberOf(until)
      return daysBetween(end - count, end).toReversed()
    },
    /** Missing money that is due, and money that nothing expected; the oldest first. */
    differences: (): readonly Difference[] => {
      if (!watch) return []
      const days = daysBetween(numberOf(watch.since), today() + 1)
      const open = days.filter((day) => day.isDue && day.open !== '0').map(ofDay)
      const all = [...open, ...funding.openReceipts().map(ofReceipt)]
      return all.sort((one, other) => other.age - one.age)
    },
    find,
  }
}

export type FundingBook = ReturnType<typeof fundingBook>

type ActNeeds = BookNeeds & {
  readonly book: FundingBook
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
}

/** What people do about differences. */
export const settleDifferences = (needs: ActNeeds) => {
  const { book, watch, zone, funding, handle, caughtUp } = needs
  const known = (key: string): Difference => book.find(key) ?? refuse('resource_is_unknown')

  /** Books what batches withhold, which depends on all captures and receipts of their days. */
  const withhold = async (context: Context): Promise<void> => {
    await caughtUp()
    const span = ['', '~'] as const
    const booked = new Map(funding.differencesOfDays(...span).map(({ key, fee }) => [key, fee]))
    for (const row of funding.days(...span)) {
      const { key, day, currency, rates } = row
      if (Object.keys(rates).length === 0) continue
      const number = numberOf(day)
      const { captured = 0 } =
        funding
          .funded(startOf(zone, number), startOf(zone, number + 1))
          .find((one) => one.currency === currency) ?? {}
      const fee = String(feeOf(row, captured))
      if (fee === (booked.get(key) ?? '0')) continue
      await handle(fundingDifferences, key, { type: 'WithholdFee', currency, fee }, context)
    }
  }

  return {
    /** @throws Refusal resource_is_unknown */
    take: async (key: string, note: string | null, context: Context): Promise<void> => {
      known(key)
      const command = { type: 'TakeDifference', by: personOf(context), note } as const
      await handle(fundingDifferences, key, command, context)
    },
    /** Whatever is open is explained; what a file explains later is open again. @throws Refusal */
    close: async (key: string, reason: string, context: Context): Promise<void> => {
      const { open: amount, currency } = known(key)
      if (amount === '0') return
      const closings = funding.difference(key)?.closings ?? 0
      const heldIn = keyPattern.test(key) ? ('payer_clearing' as const) : ('unexplained' as const)
      const about = { by: personOf(context), currency, amount, reason, known: closings, heldIn }
      await handle(fundingDifferences, key, { type: 'CloseDifference', ...about }, context)
    },
    /** A receipt is the batch of a day, or a part of it. @throws Refusal resource_is_unknown */
    place: async (id: string, day: string, context: Context): Promise<void> => {
      const { receipt, sameAs } = funding.find(id) ?? refuse('resource_is_unknown')
      const account = watch?.accounts.find((one) => one.account === receipt.account)
      if (sameAs !== null || funding.difference(id)?.closings) return refuse('resource_is_unknown')
      const place = batchPlace(receipt, day, account ?? { rate: null })
      await handle(fundingReceipts, id, { type: 'PlaceReceipt', place, isBooked: true }, context)
      await withhold(context)
    },
    withhold,
  }
}

export type FundingWork = ReturnType<typeof settleDifferences> & {
  readonly watch: FundingWatch | undefined
  readonly zone: TimeZone
  readonly book: FundingBook
}
