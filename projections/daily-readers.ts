import { asc } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { wayOf } from '../domain/people/preferences.ts'
import { idIn } from '../domain/stream.ts'
import { param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Those who want to be told the sum of each day. */
const dailyReaders = sqliteTable('daily_readers', { person: text().primaryKey() })

export const dailyReaderProjection = projection({
  table: dailyReaders,
  handles: ['PayerPreferencesChanged', 'PayerErased'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event, key) => {
    if (event.type === 'PayerErased') return undefined
    if (event.data.notices === undefined) return row
    const isReader = wayOf(event.data, 'daily_sum', false) !== 'none'
    return isReader ? { person: String(key) } : undefined
  },
})

export const dailyReaderQueries = (db: BetterSQLite3Database) => {
  const { all } = rowsOf(db, dailyReaders, {
    order: [asc(dailyReaders.person)],
    limit: param('limit'),
  })
  return { all: (limit: number) => all({ limit }) }
}
