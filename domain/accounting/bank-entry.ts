import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { returnReason } from './payout-events.ts'
import { sum } from './totals.ts'
import { register } from '../register.ts'

/** The operator's corrections to the built-in bank holidays of a country. */
export const bankCalendar = register(
  'BankCalendar',
  z.object({
    /** ISO 3166, two letters. */
    country: z.string(),
    /** `YYYY-MM-DD`: additional bank holidays. */
    closed: z.array(z.string()),
    /** Built-in holidays on which banks are open. */
    open: z.array(z.string()),
  }),
)

/** Why a statement entry matches no payout. */
const entryProblems = [
  'names_no_payout',
  'unknown_payout',
  'other_amount',
  'other_message',
  'payout_is_paid',
  'payout_is_not_paid',
  'payout_is_not_ordered',
  /** Another file has it already, as an entry that matches no payout. */
  'known_already',
] as const

export type EntryProblem = (typeof entryProblems)[number]

/** One entry of a bank statement. Free text and names are not kept, as they may identify people. */
export const seen = z.object({
  /** IBAN or national number of the statement's account. */
  account: z.string(),
  side: z.enum(['debit', 'credit']),
  amount: sum,
  currency: z.string(),
  /** Booking date, `YYYY-MM-DD`. */
  day: z.string(),
  endToEndId: z.string().nullable(),
  messageId: z.string().nullable(),
  /** The payment information, if the bank names it. */
  paymentId: z.string().optional(),
  /** Assigned by the bank: to the detail, or else to the whole entry. */
  reference: z.string().nullable(),
  /** The reference of the whole entry (null: it has none) if the detail has one of its own. */
  entryReference: z.string().nullable().optional(),
  /** Why the money of a payout came back. */
  reason: returnReason.optional(),
  source: z.object({ kind: z.string(), id: z.string() }),
  /** Null if it matches a payout. */
  problem: z.enum(entryProblems).nullable(),
})

const matched = z.object({
  payouts: z.array(z.object({ merchant: z.string(), serial: z.int(), currency: z.string() })),
  as: z.enum(['paid', 'returned']),
})

export type SeenEntry = z.output<typeof seen>

export type Match = z.output<typeof matched>

export const bankEntryEvents = {
  BankEntrySeen: seen,
  BankEntryMatched: matched,
  /** The operator states that the entry is unrelated to payouts. */
  BankEntryDismissed: z.object({ note: z.string() }),
} as const

export type BankEntryEvent = EventsOf<typeof bankEntryEvents>

export type BankEntryCommand =
  | {
      readonly type: 'RecordEntry'
      readonly entry: Omit<SeenEntry, 'problem'>
      readonly outcome: { readonly match: Match } | { readonly problem: EntryProblem }
    }
  | { readonly type: 'DismissEntry'; readonly note: string }

export type Entry = { readonly status: 'unseen' | 'open' | 'matched' | 'dismissed' }

/** An entry of a bank statement. It counts once, even if several files contain it. */
export const bankEntry: Decider<BankEntryCommand, BankEntryEvent, Entry> = {
  initial: { status: 'unseen' },
  decide(command, { status }) {
    if (command.type === 'DismissEntry') {
      if (status === 'unseen') return refuse('resource_is_unknown')
      if (status === 'matched') return refuse('entry_is_matched')
      if (status === 'dismissed') return []
      return [{ type: 'BankEntryDismissed', data: { note: command.note } }]
    }
    const { entry, outcome } = command
    const problem = 'problem' in outcome ? outcome.problem : null
    const first: BankEntryEvent[] =
      status === 'unseen' ? [{ type: 'BankEntrySeen', data: { ...entry, problem } }] : []
    if ('problem' in outcome || status === 'matched') return first
    return [...first, { type: 'BankEntryMatched', data: outcome.match }]
  },
  evolve(_, { type }) {
    if (type === 'BankEntrySeen') return { status: 'open' }
    return { status: type === 'BankEntryMatched' ? 'matched' : 'dismissed' }
  },
}
