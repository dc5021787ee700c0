import { join } from 'node:path'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { merchants } from '../../domain/aggregates.ts'
import { parseEvent } from '../../domain/events.ts'
import { logTimeAfter } from '../../domain/event-times.ts'
import { streamOf } from '../../domain/stream.ts'
import { dayOf, type Instant } from '../../domain/time.ts'
import { journalQueries } from '../../projections/journal.ts'
import { merchantRegister } from '../../projections/registers.ts'
import { foldUpTo } from '../as-of/make-moment.ts'
import type { ReadModelFile } from '../../infrastructure/read-models/read-model-file.ts'
import { openDraftFile } from './csv-files.ts'
import { journalEntries } from './journal-entries.ts'
import type { Period } from './period.ts'
import type { Company } from './saf-t.ts'
import { writeJournal } from './write-journal.ts'

type Log = Pick<EventStore, 'readAll'>

export type ExportRequest = {
  readonly from?: Instant
  /** Exclusive end of the period. */
  readonly to?: Instant
  readonly company: Company
  readonly version: string
  readonly now: Instant
}

/** In the format of `audit events`. */
const lineOf = ({ stream, revision, position, id, type, data, metadata }: RecordedEvent): string =>
  `${JSON.stringify({ stream, revision, position, id, type, data, metadata })}\n`

/** Folds the log up to and through the period. */
const foldPeriod = async (
  log: Log,
  file: ReadModelFile,
  { opens, closes }: Period,
  onFolded: (position: number) => void,
) => {
  const { balances } = journalQueries(file.db)
  if (opens.position > start) await foldUpTo(log, file, opens.position, onFolded)
  const opening = balances()
  if (closes.position > opens.position) await foldUpTo(log, file, closes.position, onFolded)
  return { opening, closing: balances() }
}

async function* eventsOf(log: Log, { opens, closes }: Period) {
  let { logTime } = opens
  if (closes.position === opens.position) return
  for await (const batch of log.readAll(opens.position))
    for (const event of batch) {
      if (event.position > closes.position) return
      logTime = logTimeAfter(logTime, Number(event.metadata['at']))
      yield { event, logTime }
    }
}

/** Collects the first and last event, and the latest time. */
const seen = () => {
  let found: { first: number; last: number; from: Instant; until: Instant } | undefined
  return {
    add: (position: number, at: Instant): void => {
      found ??= { first: position, last: position, from: at, until: at }
      found.last = position
      found.until = Math.max(found.until, at)
    },
    range: () => found,
  }
}

/**
 * Writes the events of a period and its journal into a folder. Memory use is constant, except for
 * the read models, which have their own file.
 */
export const exportPeriod = async (
  log: Log,
  folder: string,
  file: ReadModelFile,
  period: Period,
  { from, to, company, version, now }: ExportRequest,
  onFolded: (position: number) => void = () => {},
) => {
  const { opening, closing } = await foldPeriod(log, file, period, onFolded)
  const events = openDraftFile(join(folder, 'events.jsonl'))
  const journal = writeJournal(folder, opening, closing)
  try {
    const entryOf = journalEntries(file, from === undefined ? undefined : dayOf(from))
    const range = seen()
    if (from !== undefined) journal.open(dayOf(from))
    for await (const { event, logTime } of eventsOf(log, period)) {
      range.add(event.position, logTime)
      events.add(lineOf(event))
      const entry = entryOf(parseEvent(event), logTime)
      if (entry) journal.add(entry)
    }
    const { from: first = now, until = first } = range.range() ?? {}
    const begins = from ?? first
    const ends = to === undefined ? Math.max(begins, until) : Math.max(to - 1, until)
    const days = { from: dayOf(begins), to: dayOf(ends) }
    const { find } = merchantRegister.queries(file.db)
    const findMerchant = (id: string) => find(streamOf(merchants, id))?.data
    const header = { company, version, created: dayOf(now), ...days, findMerchant }
    const { files, ...written } = journal.finish(days.to, header)
    return { range: range.range(), ...written, files: [events.finish(), ...files] }
  } finally {
    events.close()
    journal.close()
  }
}
