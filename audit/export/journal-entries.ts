import { merchants } from '../../domain/aggregates.ts'
import { isPosting } from '../../domain/accounting/journal.ts'
import {
  entryDay,
  movedByEvent,
  movedByLine,
  type JournalEntry as Entry,
  type KeptLine,
} from '../../domain/accounting/journal-entry.ts'
import type { Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { keptLine } from '../../projections/journal-entries.ts'
import { merchantRegister } from '../../projections/registers.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'

export type JournalEntry = Entry & { readonly actor: string }

/**
 * Turns events into journal entries, using read models of a later moment. Entries are dated no
 * earlier than `firstDay`.
 */
export const journalEntries = ({ sqlite, db }: ReadModelFile, firstDay = '') => {
  const lineAt = sqlite.prepare<[number], KeptLine>(
    `${keptLine} WHERE line.position = ? AND fee IS NOT NULL`,
  )
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
  const movedBy = (event: Recorded) => {
    const line = lineAt.get(event.position)
    if (line) return movedByLine(line)
    if (!isPosting(event)) return undefined
    const merchant = event.metadata.merchant ?? ''
    return movedByEvent(merchant, event, settlement.get(merchant, event.data.serial) ?? null)
  }

  return (event: Recorded, logTime: Instant): JournalEntry | undefined => {
    const moved = movedBy(event)
    if (!moved || moved.postings.length === 0) return undefined
    const { position, metadata } = event
    const { at, actor } = metadata
    const { bankDay: _, ...rest } = moved
    const about = { position, at, actor, payee: payeeOf(metadata.merchant ?? '') }
    return { ...about, ...rest, day: entryDay(moved, logTime, firstDay) }
  }
}
