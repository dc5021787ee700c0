import { randomUUID } from 'node:crypto'
import type { JsonObject, NewEvent } from '../../application/event-store.ts'
import type { OtherStreams } from '../event-store/eventstoredb-streams.ts'

export type Streams = OtherStreams

/** One category, so that the server soon passes over all of it for who follows the log. */
const prefix = 'daybook_vault-'

/** The master key, wrapped by the operator's. */
export const masterStream = `${prefix}master`
/** What happened to people, sealed with their keys, and the secrets. */
export const journalStream = `${prefix}journal`
/** What counts once. */
export const usedStream = `${prefix}used`
/** Keys of some people: the newest event holds all that are left. */
export const pageStream = (page: string): string => `${prefix}keys-${page}`

/** Without metadata of the log's, so that nobody takes it for an event of the ledger. */
export const vaultEvent = (type: string, data: JsonObject): NewEvent => ({
  ...{ id: randomUUID(), type, data },
  metadata: {},
})
