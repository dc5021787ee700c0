/** Number of an event in its stream, from 0. */
export type Revision = number

export const noStream: Revision = -1

/** Position in the log; increasing, with gaps in some stores. */
export type Position = number

/** The position before the first event of the log. */
export const start: Position = 0

/** No `undefined`, bigint or Date: events read equal those appended. */
export type JsonObject = Readonly<Record<string, unknown>>

export type NewEvent = {
  /** UUID derived from its cause, so that repeated appends are recognised. */
  readonly id: string
  readonly type: string
  readonly data: JsonObject
  readonly metadata: JsonObject
}

export type RecordedEvent = NewEvent & {
  readonly stream: string
  readonly revision: Revision
  readonly position: Position
  /** RFC 6962 leaf hash of its entry, in base64, if the store knows it. */
  readonly leaf?: string
  /** When the store wrote it, in ms, if the store records that. */
  readonly recordedAt?: number
}

export type Appended = {
  /** Of the last event: the next expected revision. */
  readonly revision: Revision
  readonly position: Position
  /** The commit that it shared with others; only while spans are recorded. */
  readonly commit?: Commit
}

/** How long it took, in ms, and its number of appends. */
export type Commit = { readonly milliseconds: number; readonly appends: number }

/** `soon` yields to other appends, and is gathered with its like for up to a tenth of a second. */
export type Urgency = 'now' | 'soon'

/** Another writer was first; nothing was appended. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision'
  constructor(
    readonly stream: string,
    readonly expected: Revision,
    readonly actual: Revision,
  ) {
    super(`stream ${stream} stands at revision ${actual}, not at ${expected}`)
  }
}

/** The store is unavailable. The append may have happened; repeating it is safe. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** The store refuses this service as it is set up: waiting does not help. */
export class StoreRefused extends StoreUnavailable {
  override readonly name = 'StoreRefused'
}

/** Another process has locked the store; nothing happened, and a retry usually works. */
export class StoreHeld extends StoreUnavailable {
  override readonly name = 'StoreHeld'
}

/** An event differs from what was appended. Reading it again does not help. */
export class DamagedEvent extends Error {
  override readonly name = 'DamagedEvent'
  constructor(
    readonly event: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>,
    readonly problem: string,
  ) {
    const { stream, revision, position } = event
    super(`event ${position}, revision ${revision} of ${stream}, is damaged: ${problem}`)
  }
}

/** Called after each failure and each success. */
export type Outage = {
  readonly failed: (error: unknown) => void
  readonly worked: () => void
}

/** The event log. Both adapters pass `tests/event-store/contract.ts`. */
export type EventStore = {
  /**
   * Appends all events or none, durably, at the expected revision. Repeating an append gives the
   * same answer and appends nothing. @throws WrongExpectedRevision, StoreUnavailable; TypeError for
   * invalid input: no events, an empty, `$…` or non-ASCII stream name, an id that is no UUID, more
   * than 1 MiB of data
   */
  append(
    stream: string,
    events: readonly NewEvent[],
    expected: Revision,
    urgency?: Urgency,
  ): Promise<Appended>
  /**
   * Events from a revision (default 0) on; none if the stream does not exist. @throws DamagedEvent
   * if one of them is damaged; other streams can be read
   */
  readStream(stream: string, from?: Revision, limit?: number): Promise<readonly RecordedEvent[]>
  /** Reads up to the current end, in batches. @throws DamagedEvent after all events before it */
  readAll(after: Position): AsyncIterable<readonly RecordedEvent[]>
  /**
   * The newest events before an event, or before the end; newest first, at most `limit`. Positions
   * may be byte offsets, so `before` must be the position of an event. @throws DamagedEvent
   */
  readBack(before: Position | undefined, limit: number): Promise<readonly RecordedEvent[]>
  /** The event at a position; undefined if none begins there. @throws DamagedEvent */
  readAt(position: Position): Promise<RecordedEvent | undefined>
  /**
   * Delivers all events exactly once, in order and in batches, waiting for more until aborted.
   * Reconnects after the last delivered event. @throws DamagedEvent after all events before it
   */
  follow(
    after: Position,
    signal: AbortSignal,
    outage?: Outage,
  ): AsyncIterable<readonly RecordedEvent[]>
  /** Position of the newest committed event; `start` for an empty log. */
  head(): Promise<Position>
  close(): Promise<void>
}
