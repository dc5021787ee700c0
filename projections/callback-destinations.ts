import { gt, isNotNull, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Attempt } from '../domain/callback.ts'
import { destinationOf } from '../domain/callback-destination.ts'
import type { Recorded } from '../domain/events.ts'
import { keyOfAddress, lanesOf } from '../domain/merchant/event-destination.ts'
import { within } from '../domain/stream.ts'
import { countOf, findBy, param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Maximum pause after 429 or 503 without a `Retry-After`. */
const longestUnaskedPauseMs = 600_000
const asksForLess = new Set([429, 503])

/** The destinations of a merchant whose last delivery failed; working ones have no row. */
export const callbackDestinations = sqliteTable(
  'callback_destinations',
  {
    key: text().primaryKey(),
    merchant: text().notNull(),
    destination: text().notNull(),
    /** Since when there were only failures. */
    failingSince: integer(),
    /** When it was last woken: from then on it is tried again. */
    wokenAt: integer(),
    problem: text(),
    /**
     * Set while it asks for fewer requests: nothing is sent before this time, then one message at a
     * time.
     */
    pausedUntil: integer(),
    restedAt: integer(),
  },
  (row) => [
    index('callback_destinations_rested')
      .on(row.restedAt)
      .where(sql`restedAt is not null`),
  ],
)

export type CallbackDestinationRow = typeof callbackDestinations.$inferSelect

const destinationKey = (merchant: string, destination: string): string =>
  within(merchant, destination)

const untroubled = {
  failingSince: null,
  wokenAt: null,
  problem: null,
  pausedUntil: null,
  restedAt: null,
}

const afterAttempt = (
  row: CallbackDestinationRow | undefined,
  key: string,
  merchant: string,
  attempt: Attempt & { readonly nextAttemptAt: number | null },
): CallbackDestinationRow | undefined => {
  const { uri, result, httpStatus, problem, attemptedAt: at, retryAfterMs, nextAttemptAt } = attempt
  // Most destinations work, and have no row.
  if (result === 'delivered') return undefined
  const known = row ?? { key, merchant, destination: destinationOf(uri) ?? uri, ...untroubled }
  const pause = retryAfterMs ?? Math.min((nextAttemptAt ?? at) - at, longestUnaskedPauseMs)
  return {
    ...known,
    failingSince: known.failingSince ?? at,
    problem,
    pausedUntil: asksForLess.has(httpStatus ?? 0) ? at + pause : known.pausedUntil,
  }
}

const addressIn = (event: Recorded): string | null | undefined => {
  switch (event.type) {
    case 'CallbackAttempted':
      return event.data.uri
    case 'PaymentAmended':
    case 'ShortlinkChanged':
    case 'MerchantChanged':
      return event.data.callbackUri
    case 'DestinationRested':
    case 'DestinationWoken':
      return event.data.destination
    default:
      return undefined
  }
}

export const callbackDestinationProjection = projection({
  table: callbackDestinations,
  handles: [
    'CallbackAttempted',
    'DestinationRested',
    'DestinationWoken',
    'PaymentAmended',
    'ShortlinkChanged',
    'MerchantChanged',
    'EventDestinationChanged',
  ],
  keysOf: (event) => {
    if (event.type === 'EventDestinationChanged') {
      const { merchant, key } = event.data
      return lanesOf(key).map((lane) => destinationKey(merchant, lane))
    }
    const destination = destinationOf(addressIn(event) ?? null)
    const { merchant } = event.metadata
    return destination === null || merchant === null ? [] : [destinationKey(merchant, destination)]
  },
  apply: (row, event, key) => {
    const merchant = event.metadata.merchant ?? ''
    switch (event.type) {
      case 'CallbackAttempted':
        return afterAttempt(row, String(key), merchant, event.data)
      case 'DestinationRested':
        return row && { ...row, restedAt: event.metadata.at }
      case 'DestinationWoken':
      case 'PaymentAmended':
      case 'ShortlinkChanged':
      case 'MerchantChanged':
        // The address is maintained again; it goes on failing until a message arrives.
        return row && row.restedAt !== null
          ? { ...row, restedAt: null, pausedUntil: null, wokenAt: event.metadata.at }
          : row
      case 'EventDestinationChanged':
        // Why it was disabled is kept.
        return event.data.enabled ? undefined : row
    }
  },
})

export const callbackDestinationQueries = (db: BetterSQLite3Database) => {
  const find = findBy(db, callbackDestinations, callbackDestinations.key)
  const rested = rowsOf(db, callbackDestinations, {
    where: [isNotNull(callbackDestinations.restedAt)],
  })
  const ofMerchant = rowsOf(db, callbackDestinations, {
    where: [
      gt(callbackDestinations.key, param('start')),
      lt(callbackDestinations.key, param('end')),
    ],
    limit: param('limit'),
  })
  return {
    /** Addresses of a merchant without a successful delivery for some time. */
    failing: (merchant: string, limit: number) => {
      const start = destinationKey(merchant, '')
      // Keys begin with the merchant and a slash, which zero follows.
      const rows = ofMerchant.all({ start, end: `${start.slice(0, -1)}0`, limit })
      return rows.filter(({ destination }) => keyOfAddress(destination) === undefined)
    },
    find: (merchant: string, destination: string) => find(destinationKey(merchant, destination)),
    rested: () => rested.all(),
    restedCount: countOf(db, callbackDestinations, isNotNull(callbackDestinations.restedAt)),
  }
}
