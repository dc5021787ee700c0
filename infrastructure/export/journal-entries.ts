import { merchants } from '../../domain/aggregates.ts'
import { postingsOfLine, type Posting } from '../../domain/accounting/journal.ts'
import type { Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import { dayOf, type Instant } from '../../domain/time.ts'
import { isSettled, postingsOfEvent } from '../../projections/journal.ts'
import { merchantRegister } from '../../projections/registers.ts'
import type { ReadModelFile } from '../read-models/read-model-file.ts'

export const entryTags = ['ledger', 'tid', 'sub_id', 'pos_tid', 'settlement', 'message'] as const

/** What one event moves between accounts; each currency of it sums to zero. */
export type JournalEntry = {
  readonly position: number
  /** `YYYY-MM-DD` by the time of the log, in UTC. */
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
})

const none = { ledger: null, tid: null, sub_id: null, pos_tid: null }

const ofSettled = (event: Recorded, settlementOf: (serial: number) => string | null) => {
  if (!isSettled(event)) return undefined
  const postings = postingsOfEvent(event)
  const { type, data } = event
  return type === 'SettlementMade'
    ? {
        action: 'settlement',
        tags: { ...none, settlement: data.settlementId, message: null },
        postings,
      }
    : {
        action: 'payout',
        tags: { ...none, settlement: settlementOf(data.serial), message: data.messageId },
        postings,
      }
}

/** Turns events into journal entries, with what read models of a later moment know of them. */
export const journalEntries = ({ sqlite, db }: ReadModelFile) => {
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
    return { position, day: dayOf(logTime), at, actor, payee: payeeOf(merchant), ...found }
  }
}
