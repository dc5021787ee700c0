import { start, type Position } from '../../application/event-store.ts'
import type { Recorded } from '../../domain/events.ts'
import { logTimeAfter } from '../../domain/event-times.ts'
import type { Instant } from '../../domain/time.ts'
import type { ReadModelFile } from './read-model-file.ts'
import { rowsPerStatement, type GatheredWrites, type Writing } from './rows.ts'

const values = '(?, ?)'

const upsert = (rows: string): string =>
  `INSERT INTO moments (at, position) VALUES ${rows}
   ON CONFLICT (at) DO UPDATE SET position = excluded.position`

const note: Writing = {
  sql: upsert(values),
  batchSql: upsert(Array(rowsPerStatement).fill(values).join(', ')),
  width: 2,
}

const forgetAfter: Writing = { sql: 'DELETE FROM moments WHERE at > ?', width: 1 }

const newestOf = ({ sqlite }: ReadModelFile) => {
  const newest = sqlite.prepare<[], Instant | null>('SELECT max(at) FROM moments').pluck()
  return (): Instant | undefined => newest.get() ?? undefined
}

/**
 * Records the log's position whenever its time advances. If the clock was set back, the later times
 * are deleted, because they will come again.
 */
export const foldMoments = (file: ReadModelFile) => {
  const newest = newestOf(file)
  let logTime: Instant | undefined

  return {
    fold: (events: readonly Recorded[], writes: GatheredWrites): void => {
      let time = (logTime ??= newest() ?? -Infinity)
      let keptUpTo = Infinity
      const noted: { readonly at: Instant; position: Position }[] = []
      for (const { position, metadata } of events) {
        const at = logTimeAfter(time, metadata.at)
        if (at < time) {
          keptUpTo = Math.min(keptUpTo, at)
          while ((noted.at(-1)?.at ?? -Infinity) > at) noted.pop()
        }
        const last = noted.at(-1)
        if (last?.at === at) last.position = position
        else noted.push({ at, position })
        time = at
      }
      logTime = time
      if (keptUpTo !== Infinity) writes.valuesOf(forgetAfter).push(keptUpTo)
      for (const { at, position } of noted) writes.valuesOf(note).push(at, position)
    },
    /** Reads the time again, as the file may have changed. */
    forget: (): void => {
      logTime = undefined
    },
  }
}

/** The log's time, and its position at earlier times. */
export const readMoments = (file: ReadModelFile) => {
  const last = file.sqlite
    .prepare<[Instant], Position>(
      'SELECT position FROM moments WHERE at <= ? ORDER BY at DESC LIMIT 1',
    )
    .pluck()
  return {
    /** Position of the last event whose log time is not later. */
    positionAt: (at: Instant): Position => last.get(at) ?? start,
    /** Undefined if the log is empty. */
    logTime: newestOf(file),
  }
}
