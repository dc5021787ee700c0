import type { EventLog } from '../event-store/sqlite-event-log.ts'
import type { Row } from '../event-store/sqlite-event-rows.ts'
import type { Send } from './send.ts'
import type { Options, Source } from './source.ts'

/** One call of a client, and what it is about. */
export type Reading = {
  readonly log: EventLog
  readonly options: Options
  readonly source: Source
  readonly send: Send['send']
  /** Call it between reading a page and sending it. @throws once the caller may read no more */
  readonly check: () => Promise<void>
  readonly signal: AbortSignal
}

/** Rows that are read in one go, at most. */
export const pageSize = 500

export const sizeOf = ([, , , , , data, metadata]: Row): number =>
  Buffer.byteLength(data) + (metadata === null ? 0 : Buffer.byteLength(metadata))

/** Whether the client asks for ids as two halves. */
export const isStructured = (options: Options): boolean =>
  options.getUuidOption()?.hasStructured() ?? false
