import { merchants } from '../../domain/aggregates.ts'
import {
  isPosting,
  postingsOfEvent,
  postingsOfLine,
  type Posting,
  type PostingEvent,
} from '../../domain/accounting/journal.ts'
import type { Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import { dayOf, type Instant } from '../../domain/time.ts'
import { merchantRegister } from '../../projections/registers.ts'
import type { ReadModelFile } from '../read-models/read-model-file.ts'

export const entryTags = ['ledger', 'tid', 'sub_id', 'pos_tid', 'settlement', 'message'] as const

/** What one event moves between accounts; each currency of it sums to zero. */
export type JournalEntry = {
  readonly position: number
  /** `YYYY-MM-DD` by the time of the log, in UTC; by the bank, where a statement tells it. */
  readonly day: string
  /** When it was decided. */
  readonly at: Instant
  readonly actor: string
  /** Business name of the merchant. */
  readonly payee: string
  readonly action: string
  readonly tags: Readonly<Record<(typeof entryTags)[number], string | null>>
  readonly postings: readonly Posting[]
}

type Line = {
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

const lineQuery = `
  SELECT action, line.ledger, line.tid, subId, line.merchant, line.currency, line.amount,
    line.additionalAmount, fee, interchange, vat, taxcode,
    coalesce(payments.posTid, permissions.posTid) AS posTid
  FROM transaction_lines line LEFT JOIN payments ON payments.tid = line.tid
    LEFT JOIN permissions ON permissions.rid = line.tid
  WHERE line.position = ? AND fee IS NOT NULL`

const ofLine = ({ action, ledger, tid, subId, posTid, ...line }: Line) => ({
  action,
  tags: { ledger, tid, sub_id: subId, pos_tid: posTid, settlement: null, message: null },
  postings: postingsOfLine({ ...line, charge: line }),
  day: undefined,
})

const none = { ledger: null, tid: null, sub_id: null, pos_tid: null }

const actions: Readonly<Record<PostingEvent['type'], string>> = {
  SettlementMade: 'settlement',
  PayoutOrdered: 'payout',
  PayoutPaid: 'payout_paid',
  PayoutReturned: 'payout_returned',
}

const ofSettled = (event: Recorded, settlementOf: (serial: number) => string | null) => {
  if (!isPosting(event)) return undefined
  const { type, data, metadata } = event
  const postings = postingsOfEvent(metadata.merchant ?? '', event)
  const message = type === 'SettlementMade' ? null : data.messageId
  const day = type === 'PayoutPaid' || type === 'PayoutReturned' ? data.day : undefined
  const settlement = settlementOf(data.serial)
  return { action: actions[type], tags: { ...none, settlement, message }, postings, day }
}

/** The bank's day, unless the period begins later or the log was written before it. */
const dayWithin = (bankDay: string | undefined, firstDay: string, logDay: string): string => {
  if (bankDay === undefined || bankDay > logDay) return logDay
  return bankDay < firstDay ? firstDay : bankDay
}

/**
 * Turns events into journal entries, with what read models of a later moment know of them. A period
 * begins with its first day.
 */
export const journalEntries = ({ sqlite, db }: ReadModelFile, firstDay = '') => {
  const lineAt = sqlite.prepare<[number], Line>(lineQuery)
  const settlement = sqlite
    .prepare<[string, number], string>(
      'SELECT settlementId FROM settlements WHERE merchant = ? AND serial = ?',
    )
    .pluck()
  const { find } = merchantRegister.queries(db)
  const names = new Map<string, string>()
  const payeeOf = (id: string): string => {
    const known = names.get(id) ?? find(streamOf(merchants, id))?.data.businessName ?? id
    names.set(id, known)
    return known
  }

  return (event: Recorded, logTime: Instant): JournalEntry | undefined => {
    const { position, metadata } = event
    const merchant = metadata.merchant ?? ''
    const line = lineAt.get(position)
    const found = line
      ? ofLine(line)
      : ofSettled(event, (serial) => settlement.get(merchant, serial) ?? null)
    if (!found || found.postings.length === 0) return undefined
    const { at, actor } = metadata
    const day = dayWithin(found.day, firstDay, dayOf(logTime))
    return { position, at, actor, payee: payeeOf(merchant), ...found, day }
  }
}
