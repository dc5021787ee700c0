import type { Position } from './event-store.ts'

/** What a read asks for instead of the newest. */
export type AskedFreshness = {
  /** It must hold everything up to there. */
  readonly minPosition?: Position
  /** It may be so old, in seconds. */
  readonly maxAge?: number
}

/** One read, and how fresh its answer is. */
export type FreshRead = {
  /**
   * Waits for what is asked for, so that the read need not ask the store. @throws StoreUnavailable
   * when it does not come
   */
  readonly settle: (asked: AskedFreshness) => Promise<'settled' | 'beyond the log'>
  /** Begins the read, and notes what it waits for. */
  readonly run: <Answer>(work: () => Answer) => Answer
  /** The answer holds everything up to there. */
  readonly position: () => Position
  /** How old the answer may be, in seconds, when the store was not asked. */
  readonly age: () => number | undefined
}

export type Freshness = {
  /** The newest position that this process has heard of. */
  readonly known: () => Position
  readonly read: () => FreshRead
}
