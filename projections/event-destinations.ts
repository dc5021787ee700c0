import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { receivedId } from '../domain/callback-names.ts'
import { timeOfEventId } from '../domain/event-times.ts'
import {
  eventDestination,
  keyOfAddress,
  lanesOf,
  mostDestinations,
  type EventDestination,
} from '../domain/merchant/event-destination.ts'
import type { Instant } from '../domain/time.ts'
import { callbackDestinationQueries } from './callback-destinations.ts'
import { findBy, given, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'
import { callbackQueue } from './queued-messages.ts'
import { registerReadModel } from './registers.ts'

const register = registerReadModel('event_destinations', eventDestination)

/** When each event destination last took a message. */
const successes = sqliteTable('event_destination_successes', {
  key: text().primaryKey(),
  at: integer().notNull(),
})

const successProjection = projection({
  table: successes,
  handles: ['CallbackAttempted'],
  keysOf: ({ data: { uri, result } }) => {
    const key = result === 'delivered' ? keyOfAddress(uri) : undefined
    return key === undefined ? [] : [key]
  },
  apply: (_, { data }, key) => ({ key: String(key), at: data.attemptedAt }),
})

/** Resources with messages waiting for an event destination; no more are queued. */
export const mostQueued = 1000

type Health = {
  readonly lastSuccess: Instant | null
  readonly oldestWaiting: Instant | null
  readonly failingSince: Instant | null
  readonly reason: string | null
}

const eventDestinationQueries = (db: BetterSQLite3Database) => {
  const { find, list, all } = register.queries(db)
  const success = findBy(db, successes, successes.key)
  const troubles = callbackDestinationQueries(db)
  const { merchant, destination, dueAt } = callbackQueue
  const inLane = rowsOf(db, callbackQueue, {
    where: [sql`${merchant} is ${given('merchant')}`, same(destination), sql`${dueAt} is not null`],
    limit: given('limit'),
  })

  const waitingSince = (merchant: string, lane: string): Instant[] =>
    inLane
      .all({ merchant, destination: lane, limit: mostQueued })
      .flatMap(({ waiting }) => waiting)
      .map(({ id, nextAttemptAt }) => timeOfEventId(receivedId(id)) ?? nextAttemptAt)

  return {
    find,
    list,
    all,
    findByKey: (merchant: string, key: string): EventDestination | undefined =>
      list(merchant, Number.MAX_SAFE_INTEGER, mostDestinations).find(({ data }) => data.key === key)
        ?.data,
    health: ({ merchant, key }: EventDestination): Health => {
      const lanes = lanesOf(key)
      const [trouble] = lanes
        .flatMap((lane) => troubles.find(merchant, lane) ?? [])
        .toSorted((a, b) => (a.failingSince ?? 0) - (b.failingSince ?? 0))
      const waiting = lanes.flatMap((lane) => waitingSince(merchant, lane))
      return {
        lastSuccess: success(key)?.at ?? null,
        oldestWaiting: waiting.length === 0 ? null : Math.min(...waiting),
        failingSince: trouble?.failingSince ?? null,
        reason: trouble?.problem ?? null,
      }
    },
  }
}

export const eventDestinationReadModel = {
  projections: [...register.projections, successProjection],
  queries: eventDestinationQueries,
}
