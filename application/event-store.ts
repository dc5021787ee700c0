/** Number of an event within its stream, counted from 0. */
export type Revision = number

/** The revision of a stream that holds no event yet. */
export const noStream: Revision = -1

/** Place of an event in the log of all streams. Positions grow, with gaps in some stores. */
export type Position = number

/** The position before the first event of the log. */
export const start: Position = 0

/** A JSON object: no `undefined`, no bigint, no Date; what is read back equals what was appended. */
export type JsonObject = Readonly<Record<string, unknown>>

export type NewEvent = {
  /** UUID, derived from what caused the event, so that a repeated append is recognised. */
  readonly id: string
  readonly type: string
  readonly data: JsonObject
  readonly metadata: JsonObject
}

export type RecordedEvent = NewEvent & {
  readonly stream: string
  readonly revision: Revision
  readonly position: Position
}

export type Appended = {
  /** Revision of the last event appended: the expected revision of the next append. */
  readonly revision: Revision
  readonly position: Position
}

/** Another writer was first: the stream does not stand at the expected revision. Nothing was appended. */
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

/** The store cannot be reached or does not answer. An append may have happened; repeating it is safe. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** Another process holds the store: nothing has happened, and whoever asks again in a moment is most often answered. */
export class StoreHeld extends StoreUnavailable {
  override readonly name = 'StoreHeld'
}

/** Is told of each failure of a store, or of something else that is used, and of each success. */
export type Outage = {
  readonly failed: (error: unknown) => void
  readonly worked: () => void
}

/** The log of everything that happened. Both adapters pass `tests/event-store/contract.ts`. */
export type EventStore = {
  /**
   * Appends all events or none, durably, when the stream stands at the expected revision.
   * Repeating an append with the same event ids and expected revision answers as the first did and appends nothing.
   * @throws WrongExpectedRevision, StoreUnavailable; TypeError for what no store takes: no events, an empty or
   * `$…` name, a non-ASCII stream name, an id that is no UUID, more than 1 MiB of data.
   */
  append(stream: string, events: readonly NewEvent[], expected: Revision): Promise<Appended>
  /**
   * The events of a stream from a revision (default 0) on, all of them or as many as the limit says; none when there is
   * no such stream.
   */
  readStream(stream: string, from?: Revision, limit?: number): Promise<readonly RecordedEvent[]>
  /** All events after a position up to the present end, in order, in batches. */
  readAll(after: Position): AsyncIterable<readonly RecordedEvent[]>
  /**
   * All events after a position, in order, each exactly once, in batches, waiting for more until the signal aborts.
   * It outlives restarts of the store: a lost connection is taken up again after the last event handed out.
   */
  follow(
    after: Position,
    signal: AbortSignal,
    outage?: Outage,
  ): AsyncIterable<readonly RecordedEvent[]>
  /** Position of the newest event that was committed when this was called; `start` for an empty log. */
  head(): Promise<Position>
  close(): Promise<void>
}
