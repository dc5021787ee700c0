import type { Recorded } from '../events.ts'
import { dayOf, type Instant } from '../time.ts'
import { postingsOfEvent, postingsOfLine, type Posting, type PostingEvent } from './journal.ts'

export const entryTags = ['ledger', 'tid', 'sub_id', 'pos_tid', 'settlement', 'message'] as const

/** What one event moves between accounts; each currency of it sums to zero. */
export type JournalEntry = {
  readonly position: number
  /** `YYYY-MM-DD`: the bank's booking date if known, else the date of the log in UTC. */
  readonly day: string
  /** When it was decided. */
  readonly at: Instant
  /** Business name of the merchant. */
  readonly payee: string
  readonly action: string
  readonly tags: Readonly<Record<(typeof entryTags)[number], string | null>>
  readonly postings: readonly Posting[]
}

export type Moved = Pick<JournalEntry, 'action' | 'tags' | 'postings'> & {
  /** The bank's booking date, if known. */
  readonly bankDay: string | undefined
}

/** A stored line that moves money. */
export type KeptLine = {
  readonly action: string
  readonly ledger: string
  readonly tid: string
  readonly subId: string | null
  readonly merchant: string
  readonly currency: string
  readonly amount: number
  readonly additionalAmount: number
  readonly fee: number
  readonly interchange: number
  readonly vat: number
  readonly taxcode: string
  readonly posTid: string | null
}

export const movedByLine = ({ action, ledger, tid, subId, posTid, ...line }: KeptLine): Moved => ({
  action,
  tags: { ledger, tid, sub_id: subId, pos_tid: posTid, settlement: null, message: null },
  postings: postingsOfLine({ ...line, charge: line }),
  bankDay: undefined,
})

const none = { ledger: null, tid: null, sub_id: null, pos_tid: null }

const actions: Readonly<Record<PostingEvent['type'], string>> = {
  SettlementMade: 'settlement',
  PayoutOrdered: 'payout',
  PayoutPaid: 'payout_paid',
  PayoutReturned: 'payout_returned',
}

const bankDayOf = ({ type, data }: PostingEvent): string | undefined =>
  type === 'PayoutPaid' || type === 'PayoutReturned' ? data.day : undefined

export const movedByEvent = (
  merchant: string,
  event: PostingEvent,
  settlement: string | null,
): Moved => {
  const { type, data } = event
  const message = type === 'SettlementMade' ? null : data.messageId
  const postings = postingsOfEvent(merchant, event)
  const tags = { ...none, settlement, message }
  return { action: actions[type], tags, postings, bankDay: bankDayOf(event) }
}

/** The booking date, but no earlier than `firstDay` and no later than the log's date. */
export const entryDay = (
  { bankDay }: Pick<Moved, 'bankDay'>,
  logTime: Instant,
  firstDay = '',
): string => {
  const logDay = dayOf(logTime)
  if (bankDay === undefined || bankDay > logDay) return logDay
  return bankDay < firstDay ? firstDay : bankDay
}

export const bookingDay = (event: Recorded<PostingEvent>): string =>
  entryDay({ bankDay: bankDayOf(event) }, event.metadata.at)
