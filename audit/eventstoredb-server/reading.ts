import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Row } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import type { Send } from './send.ts'
import type { Options, Source } from './source.ts'

/** A client's call, and what it reads. */
export type Reading = {
  readonly log: EventLog
  readonly options: Options
  readonly source: Source
  readonly send: Send['send']
  /** Call between reading a page and sending it. @throws once the caller may no longer read */
  readonly check: () => Promise<void>
  readonly signal: AbortSignal
}

/** Maximum number of rows per read. */
export const pageSize = 500

export const sizeOf = ([, , , , , data, metadata]: Row): number =>
  Buffer.byteLength(data) + (metadata === null ? 0 : Buffer.byteLength(metadata))

/** Whether the client requests ids as two halves. */
export const isStructured = (options: Options): boolean =>
  options.getUuidOption()?.hasStructured() ?? false
