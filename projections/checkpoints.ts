import { asc, desc, gte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

const checkpoints = sqliteTable('checkpoints', {
  /** Number of leaves that it covers. */
  size: integer().primaryKey(),
  /** Base64. */
  root: text().notNull(),
  /** The signed note. */
  note: text().notNull(),
  signedAt: integer().notNull(),
})

export type CheckpointRow = typeof checkpoints.$inferSelect

export const checkpointProjection = projection({
  table: checkpoints,
  key: checkpoints.size,
  handles: ['CheckpointSigned'],
  keyOf: ({ data }) => data.size,
  apply: (_, { data: { size, root, note }, metadata }): CheckpointRow => ({
    ...{ size, root, note },
    signedAt: metadata.at,
  }),
})

export const checkpointQueries = (db: BetterSQLite3Database) => {
  const all = () => db.select().from(checkpoints)
  const newest = prepared(db, checkpoints, all().orderBy(desc(checkpoints.size)).limit(1))
  const covering = prepared(
    db,
    checkpoints,
    all()
      .where(gte(checkpoints.size, sql.placeholder('size')))
      .orderBy(asc(checkpoints.size))
      .limit(1),
  )
  return {
    newest: (): CheckpointRow | undefined => newest.get(),
    /** The first one that covers so many leaves. */
    covering: (size: number): CheckpointRow | undefined => covering.get({ size }),
  }
}
