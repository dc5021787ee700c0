import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { jsonEquals } from '../json-equality.ts'
import { refuse } from '../refusal.ts'
import { seen } from './bank-entry.ts'
import { sum } from './totals.ts'

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
  FundingReceiptSeen: receipt,
  FundingReceiptPlaced: placing.extend({
    currency: z.string(),
    /** Where it was until now. */
    before: place.nullable(),
    /** A person said so: files do not change it. */
    isByHand: z.boolean(),
  }),
} as const

export type ReceiptEvent = EventsOf<typeof receiptEvents>

export type ReceiptCommand =
  | { readonly type: 'RecordReceipt'; readonly receipt: Receipt; readonly placing: Placing }
  | { readonly type: 'PlaceReceipt'; readonly place: Place }

export type ReceiptState = Placing & {
  /** Null before it is seen. */
  readonly currency: string | null
  readonly isByHand: boolean
}

export const unplaced: Placing = { place: null, sameAs: null }

/** A movement counts once, even if several files contain it. */
export const fundingReceipt: Decider<ReceiptCommand, ReceiptEvent, ReceiptState> = {
  initial: { ...unplaced, currency: null, isByHand: false },
  decide(command, { currency, place: before, sameAs, isByHand }) {
    const placed = (next: Placing, byHand: boolean): readonly ReceiptEvent[] => {
      const of = currency ?? ('receipt' in command ? command.receipt.currency : '')
      if (jsonEquals({ place: before, sameAs }, next)) return []
      const data = { ...next, currency: of, before, isByHand: byHand }
      return [{ type: 'FundingReceiptPlaced', data }]
    }
    if (command.type === 'PlaceReceipt') {
      if (currency === null || sameAs !== null) return refuse('resource_is_unknown')
      return placed({ place: command.place, sameAs: null }, true)
    }
    const { receipt, placing } = command
    const first: readonly ReceiptEvent[] =
      currency === null ? [{ type: 'FundingReceiptSeen', data: receipt }] : []
    return isByHand ? first : [...first, ...placed(placing, false)]
  },
  evolve(state, { type, data }) {
    if (type === 'FundingReceiptSeen') return { ...state, currency: data.currency }
    const { place, sameAs, isByHand } = data
    return { ...state, place, sameAs, isByHand }
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
  }),
} as const

export type DifferenceEvent = EventsOf<typeof differenceEvents>

type Closing = Extract<DifferenceEvent, { type: 'FundingDifferenceClosed' }>['data']

export type DifferenceCommand =
  | { readonly type: 'TakeDifference'; readonly by: string; readonly note: string | null }
  | (Closing & {
      readonly type: 'CloseDifference'
      /** How often it was closed when the amount was looked up. */
      readonly known: number
    })

export type DifferenceState = { readonly owner: string | null; readonly closings: number }

/** The difference of a day and currency, or a receipt that nothing expected. */
export const fundingDifference: Decider<DifferenceCommand, DifferenceEvent, DifferenceState> = {
  initial: { owner: null, closings: 0 },
  decide(command, { owner, closings }) {
    if (command.type === 'TakeDifference') {
      const { by, note } = command
      if (note === null && by === owner) return []
      return [{ type: 'FundingDifferenceTaken', data: { by, note } }]
    }
    const { type: _, known, ...data } = command
    // Somebody else has closed it meanwhile, and the amount was looked up before.
    if (known !== closings) return refuse('conflicting_changes')
    return [{ type: 'FundingDifferenceClosed', data }]
  },
  evolve({ owner, closings }, { type, data }) {
    if (type === 'FundingDifferenceTaken') return { owner: data.by, closings }
    return { owner, closings: closings + 1 }
  },
}
