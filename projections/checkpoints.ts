import { asc, desc, gte, lt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

const checkpoints = sqliteTable('checkpoints', {
  /** Number of leaves it covers. */
  size: integer().primaryKey(),
  /** Base64. */
  root: text().notNull(),
  /** The signed note, followed by the lines of witnesses. */
  note: text().notNull(),
  /** How many witnesses have signed. */
  cosigned: integer().notNull(),
  signedAt: integer().notNull(),
})

export type CheckpointRow = typeof checkpoints.$inferSelect

export const checkpointProjection = projection({
  table: checkpoints,
  handles: ['CheckpointSigned', 'CheckpointCosigned'],
  keyOf: ({ data }) => data.size,
  apply: (row, { type, data, metadata }): CheckpointRow | undefined => {
    if (type === 'CheckpointCosigned')
      return row && { ...row, note: row.note + data.line, cosigned: row.cosigned + 1 }
    const { size, root, note } = data
    return { size, root, note, cosigned: 0, signedAt: metadata.at }
  },
})

export const checkpointQueries = (db: BetterSQLite3Database) => {
  const { size } = checkpoints
  const newest = rowsOf(db, checkpoints, { order: [desc(size)], limit: 1 })
  const before = rowsOf(db, checkpoints, {
    where: [lt(size, param('size'))],
    order: [desc(size)],
    limit: param('limit'),
  })
  const covering = rowsOf(db, checkpoints, {
    where: [gte(size, param('size'))],
    order: [asc(size)],
    limit: 1,
  })
  return {
    newest: (): CheckpointRow | undefined => newest.get(),
    /** Checkpoints that cover less, newest first. */
    before: (size: number, limit: number): readonly CheckpointRow[] => before.all({ size, limit }),
    /** The first one that covers so many leaves. */
    covering: (size: number): CheckpointRow | undefined => covering.get({ size }),
  }
}
