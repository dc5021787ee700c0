import { sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { merchants } from '../domain/aggregates.ts'
import { destinationOf } from '../domain/callback-destination.ts'
import { receivedId } from '../domain/callback-names.ts'
import { timeOfEventId } from '../domain/event-times.ts'
import {
  eventDestination,
  keyOfAddress,
  lanesOf,
  mostDestinations,
  type EventDestination,
} from '../domain/merchant/event-destination.ts'
import { streamOf } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { callbackDestinationQueries } from './callback-destinations.ts'
import { findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'
import { callbackQueue } from './queued-messages.ts'
import { merchantRegister, registerReadModel, shortlinkRegister } from './registers.ts'

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

type WaitingSince = (merchant: string, lane: string) => readonly Instant[]

type Health = {
  readonly lastSuccess: Instant | null
  readonly oldestWaiting: Instant | null
  readonly failingSince: Instant | null
  readonly reason: string | null
}

/** An address of the contract: of the merchant, of shortlinks, or that payments or reports name. */
export type CallbackAddress = {
  readonly uri: string
  readonly of: 'merchant' | 'shortlink' | 'request'
  /** False while it rests. */
  readonly enabled: boolean
  readonly health: Omit<Health, 'lastSuccess'>
}

/** Of each kind. */
const mostAddresses = 1_000

/** The addresses of the contract; those that requests name are known while they fail. */
const addressQueries = (db: BetterSQLite3Database, waitingSince: WaitingSince) => {
  const { find } = merchantRegister.queries(db)
  const { list } = shortlinkRegister.queries(db)
  const troubles = callbackDestinationQueries(db)
  const addressOf = (merchant: string, uri: string, of: CallbackAddress['of']): CallbackAddress => {
    const lane = destinationOf(uri) ?? uri
    const trouble = troubles.find(merchant, lane)
    const waiting = waitingSince(merchant, lane)
    const oldestWaiting = waiting.length === 0 ? null : Math.min(...waiting)
    const { failingSince = null, problem: reason = null, restedAt = null } = trouble ?? {}
    const health = { oldestWaiting, failingSince, reason }
    return { uri, of, enabled: restedAt === null, health }
  }
  return (merchant: string): readonly CallbackAddress[] => {
    const own = find(streamOf(merchants, merchant))?.data.callbackUri ?? null
    const links = list(merchant, Number.MAX_SAFE_INTEGER, mostAddresses)
    const ofLinks = new Set(links.flatMap(({ data }) => data.callbackUri ?? []))
    const hosts = new Set([own, ...ofLinks].map(destinationOf))
    const failing = troubles
      .failing(merchant, mostAddresses)
      .filter(({ failingSince, destination }) => failingSince !== null && !hosts.has(destination))
    return [
      ...(own === null ? [] : [addressOf(merchant, own, 'merchant')]),
      ...[...ofLinks].map((uri) => addressOf(merchant, uri, 'shortlink')),
      ...failing.map(({ destination }) => addressOf(merchant, destination, 'request')),
    ]
  }
}

const eventDestinationQueries = (db: BetterSQLite3Database) => {
  const { find, list, all } = register.queries(db)
  const success = findBy(db, successes, successes.key)
  const troubles = callbackDestinationQueries(db)
  const { merchant, destination, dueAt } = callbackQueue
  const inLane = rowsOf(db, callbackQueue, {
    where: [sql`${merchant} is ${param('merchant')}`, same(destination), sql`${dueAt} is not null`],
    limit: param('limit'),
  })

  const waitingSince: WaitingSince = (merchant, lane) =>
    inLane
      .all({ merchant, destination: lane, limit: mostQueued })
      .flatMap(({ waiting }) => waiting)
      .map(({ id, nextAttemptAt }) => timeOfEventId(receivedId(id)) ?? nextAttemptAt)

  return {
    find,
    list,
    all,
    addresses: addressQueries(db, waitingSince),
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
