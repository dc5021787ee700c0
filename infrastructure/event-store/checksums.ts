import type Database from 'better-sqlite3'
import { leafHash, type Content } from './event-entry.ts'

type OldRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: Content,
  metadata: Content | null,
]

const rowsAtOnce = 1_000

/**
 * Adds a checksum of the current content to each event of a file in the first format, within the
 * caller's transaction. Returns their number.
 */
export const addChecksums = (database: Database.Database): number => {
  database.exec(`
    DROP TRIGGER IF EXISTS events_are_not_changed;
    ALTER TABLE events ADD COLUMN checksum TEXT NOT NULL DEFAULT '';`)
  const select = database
    .prepare<[number, number], OldRow>(
      `SELECT position, name, revision, lower(hex(events.id)), type, data, metadata
       FROM events CROSS JOIN streams ON streams.id = events.stream
       WHERE position > ? ORDER BY position LIMIT ? + 0`,
    )
    .raw()
  const update = database.prepare('UPDATE events SET checksum = ? WHERE position = ?')
  let [count, last] = [0, 0]
  for (;;) {
    const rows = select.all(last, rowsAtOnce)
    for (const [position, stream, revision, id, type, data, metadata] of rows) {
      update.run(leafHash({ stream, revision, id, type, data, metadata }), position)
      last = position
    }
    count += rows.length
    if (rows.length < rowsAtOnce) return count
  }
}
