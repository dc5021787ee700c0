import { asc, eq } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Listener } from '../domain/merchant/scans.ts'
import { idIn } from '../domain/stream.ts'
import { param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Progress of a request that waits for a scan. */
type PickUpStage =
  /** Not yet registered with the shortlink. */
  | { readonly type: 'requested'; readonly listener: Listener }
  | { readonly type: 'listening' }
  | { readonly type: 'matched'; readonly scan: string; readonly payer: string }
  /** Ended, but still registered with the shortlink. */
  | { readonly type: 'ended' }

/** Payment requests for a shortlink until a payer picks them up. */
const pickUps = sqliteTable(
  'pick_ups',
  {
    tid: text().primaryKey(),
    shortlink: text().notNull(),
    merchant: text(),
    stage: text({ mode: 'json' }).$type<PickUpStage>().notNull(),
    /** Whether the service must act. */
    isDue: integer({ mode: 'boolean' }).notNull(),
    position: integer().notNull(),
  },
  (row) => [index('pick_ups_by_turn').on(row.isDue, row.position)],
)

type PickUpRow = typeof pickUps.$inferSelect

const at = (row: Omit<PickUpRow, 'stage' | 'isDue'>, stage: PickUpStage): PickUpRow => ({
  ...row,
  stage,
  isDue: stage.type !== 'listening',
})

export const pickUpProjection = projection({
  table: pickUps,
  handles: [
    'PaymentRequested',
    'PaymentAborted',
    'PaymentExpired',
    'ScanAwaited',
    'ScanMatched',
    'MatchConfirmed',
    'ScanAwaitingEnded',
  ],
  begins: ['PaymentRequested'],
  keyOf: (event) => ('tid' in event.data ? event.data.tid : idIn(event.stream)),
  apply: (row, event) => {
    const { stream, position, metadata } = event
    const { merchant } = metadata
    switch (event.type) {
      case 'PaymentRequested': {
        const { request, shortlink, expiresAt } = event.data
        if (shortlink === undefined) return undefined
        const tid = idIn(stream)
        const { maxScanAge } = request
        const listener = { tid, requestedAt: metadata.at, maxScanAge, expiresAt }
        return at({ tid, shortlink, merchant, position }, { type: 'requested', listener })
      }
      case 'PaymentAborted':
      case 'PaymentExpired':
        if (row?.stage.type === 'requested') return undefined
        return row?.stage.type === 'listening' ? at(row, { type: 'ended' }) : row
      case 'ScanAwaited': {
        if (row) return row.stage.type === 'requested' ? at(row, { type: 'listening' }) : row
        // It ended or was picked up before it was registered.
        const { tid } = event.data
        const leftover = { tid, shortlink: idIn(stream), merchant, position }
        return at(leftover, { type: 'ended' })
      }
      case 'ScanMatched': {
        const { scan, payer } = event.data
        return row && at(row, { type: 'matched', scan, payer })
      }
      case 'MatchConfirmed':
      case 'ScanAwaitingEnded':
        return undefined
    }
  },
})

export const pickUpQueries = (db: BetterSQLite3Database) => {
  const due = rowsOf(db, pickUps, {
    where: [eq(pickUps.isDue, true)],
    order: [asc(pickUps.position)],
    limit: param('limit'),
  })
  return {
    /** Requests that need action, longest waiting first. */
    due: (limit: number): PickUpRow[] => due.all({ limit }),
  }
}
