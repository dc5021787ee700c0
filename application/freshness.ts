import type { Position } from './event-store.ts'

/** The freshness a read accepts instead of the newest. */
export type FreshnessRequest = {
  /** The answer must include everything up to this position. */
  readonly minPosition?: Position
  /** Maximum age in seconds. */
  readonly maxAge?: number
}

/** One read, and how fresh its answer is. */
export type FreshRead = {
  /**
   * Waits for the requested freshness, so that the read need not ask the store.
   * @throws StoreUnavailable on timeout
   */
  readonly settle: (request: FreshnessRequest) => Promise<'settled' | 'beyond the log'>
  /** Runs the read and records what it must wait for. */
  readonly run: <Answer>(work: () => Answer) => Answer
  /** The answer includes everything up to this position. */
  readonly position: () => Position
  /** How old the answer may be, in seconds, if the store was not asked. */
  readonly age: () => number | undefined
}

export type Freshness = {
  /** The newest position that this process has observed. */
  readonly known: () => Position
  readonly read: () => FreshRead
}
