import { randomUUID } from 'node:crypto'
import type { JsonObject, NewEvent } from '../../application/event-store.ts'
import type { OtherStreams } from '../event-store/eventstoredb-streams.ts'

export type Streams = OtherStreams

/** One category, so that the server can filter all of it out for followers of the log. */
const prefix = 'daybook_vault-'

/** The master key, wrapped with the operator's key. */
export const masterStream = `${prefix}master`
/** Changes of people, sealed with their keys, and the secrets. */
export const journalStream = `${prefix}journal`
/** One-time uses. */
export const usedStream = `${prefix}used`
/** Wrong sign-ins of phone numbers without an account. */
export const strangerStream = (number: number): string => `${prefix}strangers-${number}`
/** Keys of some people: the newest event contains all that remain. */
export const pageStream = (page: string): string => `${prefix}keys-${page}`

/** Without the log's metadata, so that nobody mistakes it for a ledger event. */
export const vaultEvent = (type: string, data: JsonObject): NewEvent => ({
  ...{ id: randomUUID(), type, data },
  metadata: {},
})
