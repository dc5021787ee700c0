import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { jsonEquals } from '../json-equality.ts'
import { addUp, negated, type Sum } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import { seen } from './bank-entry.ts'
import { sum } from './totals.ts'

/**
 * What the journal books, by account: debits are above zero. Absent in older events, which book
 * nothing.
 */
const books = z.partialRecord(
  z.enum(['bank', 'payer_clearing', 'funding_fees', 'unexplained', 'funding_differences']),
  sum,
)

export type Books = z.output<typeof books>

type BookedAccount = keyof Books

/** What is left to book. */
const less = (due: Books, booked: Books): Books => {
  const names = [...new Set([...Object.keys(due), ...Object.keys(booked)])] as BookedAccount[]
  const moved = names.map((one) => [one, addUp(due[one] ?? 0, negated(booked[one] ?? 0))])
  return Object.fromEntries(moved.filter(([, amount]) => amount !== '0')) as Books
}

/** A movement on an account where funding arrives. */
const receipt = seen.omit({ problem: true, reason: true }).extend({
  /** Fees that were taken off before it was booked, if the statement says so. */
  withheld: sum.optional(),
})

/** What a receipt pays. Amounts in minor units; below zero the funding source takes back. */
const place = z.object({
  /** Of the funding source, `YYYY-MM-DD`. */
  day: z.string(),
  /** Null for the batch of a day. */
  tid: z.string().nullable(),
  /** Log position of the capture, refund or dispute. */
  line: z.int().nullable(),
  received: sum,
  /** Withheld fees, or a dispute: with what was received, it is what was expected. */
  explained: sum,
  /** Of a dispute: the withheld fee, which is explained too. */
  fee: sum.optional(),
  /** What it pays of the day's captures by name: the rate of a batch leaves it out. */
  captured: z.int(),
  /** Of a batch: the share of captures that the source withholds. */
  rate: z.string().nullable(),
})

const placing = z.object({
  /** Null if nothing expected it. */
  place: place.nullable(),
  /** Another receipt: two files tell the same movement. */
  sameAs: z.string().nullable(),
})

export type Receipt = z.output<typeof receipt>

export type Place = z.output<typeof place>

export type Placing = z.output<typeof placing>

export const receiptEvents = {
  FundingReceiptSeen: receipt.extend({ books: books.optional() }),
  FundingReceiptPlaced: placing.extend({
    currency: z.string(),
    /** Where it was until now. */
    before: place.nullable(),
    /** A person said so: files do not change it. */
    isByHand: z.boolean(),
    books: books.optional(),
    /** The bank's booking date, where its account moves. */
    day: z.string().optional(),
  }),
} as const

export type ReceiptEvent = EventsOf<typeof receiptEvents>

/** Older versions booked nothing in the journal. */
type ToBook = { readonly isBooked: boolean }

export type ReceiptCommand =
  | (ToBook & {
      readonly type: 'RecordReceipt'
      readonly receipt: Receipt
      readonly placing: Placing
    })
  | (ToBook & { readonly type: 'PlaceReceipt'; readonly place: Place })

export type ReceiptState = Placing & {
  /** Null before it is seen. */
  readonly seen: Pick<Receipt, 'currency' | 'amount' | 'side' | 'day'> | null
  readonly isByHand: boolean
  readonly booked: Books
}

export const unplaced: Placing = { place: null, sameAs: null }

/** The payers' account is relieved of what is paid and of the fee; what pays nothing waits. */
const booksOf = (
  { amount, side }: Pick<Receipt, 'amount' | 'side'>,
  { place, sameAs }: Placing,
): Books => {
  if (sameAs !== null) return {}
  const bank = side === 'debit' ? negated(amount) : amount
  if (!place) return { bank, unexplained: negated(bank) }
  const fee = place.fee ?? place.explained
  return { bank, funding_fees: fee, payer_clearing: negated(addUp(bank, fee)) }
}

/** A movement counts once, even if several files contain it. */
export const fundingReceipt: Decider<ReceiptCommand, ReceiptEvent, ReceiptState> = {
  initial: { ...unplaced, seen: null, isByHand: false, booked: {} },
  decide(command, { seen, place: before, sameAs, isByHand, booked }) {
    const first = seen ?? ('receipt' in command ? command.receipt : refuse('resource_is_unknown'))
    const booksFor = (next: Placing) =>
      command.isBooked && { books: less(booksOf(first, next), booked) }
    const placed = (next: Placing, byHand: boolean): readonly ReceiptEvent[] => {
      const { currency, day } = first
      if (jsonEquals({ place: before, sameAs }, next)) return []
      const entry = booksFor(next)
      const on = entry && entry.books.bank !== undefined && { day }
      const data = { ...next, currency, before, isByHand: byHand, ...entry, ...on }
      return [{ type: 'FundingReceiptPlaced', data }]
    }
    if (command.type === 'PlaceReceipt') {
      if (sameAs !== null) return refuse('resource_is_unknown')
      return placed({ place: command.place, sameAs: null }, true)
    }
    const { receipt, placing } = command
    const then = isByHand ? [] : placed(placing, false)
    if (seen) return then
    const alone = then.length === 0 && booksFor(placing)
    return [{ type: 'FundingReceiptSeen', data: { ...receipt, ...alone } }, ...then]
  },
  evolve(state, { type, data }) {
    const { books: entry = {} } = data
    const booked = less(entry, less({}, state.booked))
    if (type === 'FundingReceiptSeen') return { ...state, seen: data, booked }
    const { place, sameAs, isByHand } = data
    return { ...state, place, sameAs, isByHand, booked }
  },
}

/** What people do about money that is missing, or that nothing expected. */
export const differenceEvents = {
  FundingDifferenceTaken: z.object({ by: z.string(), note: z.string().nullable() }),
  FundingDifferenceClosed: z.object({
    by: z.string(),
    currency: z.string(),
    /** What was open; below zero, more than expected was received. */
    amount: sum,
    reason: z.string(),
    books: books.optional(),
  }),
  /** What batches withhold of a day's captures by their rate. */
  FundingFeeWithheld: z.object({
    currency: z.string(),
    /** In all. */
    fee: sum,
    books,
  }),
} as const

export type DifferenceEvent = EventsOf<typeof differenceEvents>

type Closing = Extract<DifferenceEvent, { type: 'FundingDifferenceClosed' }>['data']

export type DifferenceCommand =
  | { readonly type: 'TakeDifference'; readonly by: string; readonly note: string | null }
  | (Omit<Closing, 'books'> & {
      readonly type: 'CloseDifference'
      /** How often it was closed when the amount was looked up. */
      readonly known: number
      /** The account that has what is open; null books nothing. */
      readonly heldIn: 'payer_clearing' | 'unexplained' | null
    })
  | { readonly type: 'WithholdFee'; readonly currency: string; readonly fee: Sum }

export type DifferenceState = {
  readonly owner: string | null
  readonly closings: number
  readonly fee: Sum
}

/** The difference of a day and currency, or a receipt that nothing expected. */
export const fundingDifference: Decider<DifferenceCommand, DifferenceEvent, DifferenceState> = {
  initial: { owner: null, closings: 0, fee: '0' },
  decide(command, { owner, closings, fee: before }) {
    switch (command.type) {
      case 'TakeDifference': {
        const { by, note } = command
        if (note === null && by === owner) return []
        return [{ type: 'FundingDifferenceTaken', data: { by, note } }]
      }
      case 'CloseDifference': {
        const { type: _, known, heldIn, ...data } = command
        const { amount } = data
        // Somebody else has closed it meanwhile, and the amount was looked up before.
        if (known !== closings) return refuse('conflicting_changes')
        const books = heldIn && { funding_differences: amount, [heldIn]: negated(amount) }
        return [{ type: 'FundingDifferenceClosed', data: { ...data, ...(books && { books }) } }]
      }
      case 'WithholdFee': {
        const { currency, fee } = command
        const more = addUp(fee, negated(before))
        if (more === '0') return []
        const books = { funding_fees: more, payer_clearing: negated(more) }
        return [{ type: 'FundingFeeWithheld', data: { currency, fee, books } }]
      }
    }
  },
  evolve(state, { type, data }) {
    switch (type) {
      case 'FundingDifferenceTaken':
        return { ...state, owner: data.by }
      case 'FundingDifferenceClosed':
        return { ...state, closings: state.closings + 1 }
      case 'FundingFeeWithheld':
        return { ...state, fee: data.fee }
    }
  },
}
