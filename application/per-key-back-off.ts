import type { Instant } from '../domain/time.ts'
import { StoreUnavailable, type Outage } from './event-store.ts'

const firstRestMs = 1000
const longestRestMs = 60_000

/** Who is told when the work of one key fails while that of others goes on, and when it works again. */
export type OutageOf = (key: string) => Outage

type Needs<Item> = {
  /** Whose work it is: while the work of a key rests, all work of that key does. */
  readonly keyOf: (item: Item) => string
  readonly outageOf: OutageOf
}

type Resting = { readonly outage: Outage; readonly restMs: number; readonly until: Instant }

/** Also when it would seem to begin only later: by a clock that was put back it would last as long as that goes on. */
const isOver = ({ restMs, until }: Resting, at: Instant): boolean =>
  at >= until || at < until - restMs

/**
 * Does work for many so that one whose work fails holds up no other: it rests, twice as long after each failure, and is
 * then tried again.
 */
export const perKeyBackOff = <Item>({ keyOf, outageOf }: Needs<Item>) => {
  const resting = new Map<string, Resting>()

  const works = (key: string): void => {
    resting.get(key)?.outage.worked()
    resting.delete(key)
  }

  const rests = (key: string, at: Instant, error: unknown): void => {
    const before = resting.get(key)
    const outage = before?.outage ?? outageOf(key)
    const restMs = before ? Math.min(2 * before.restMs, longestRestMs) : firstRestMs
    resting.set(key, { outage, restMs, until: at + restMs })
    outage.failed(error)
  }

  /** Up to `limit` of what is listed that may be done now. More is listed, so that those that rest crowd nobody out. */
  const due = (
    at: Instant,
    limit: number,
    list: (limit: number) => readonly Item[],
  ): readonly Item[] => {
    const most = limit + resting.size
    const listed = list(most)
    const keys = new Set(listed.map(keyOf))
    // The list is complete: what rests and is not in it was done by another process.
    if (listed.length < most) for (const key of resting.keys()) if (!keys.has(key)) works(key)
    const mayBeDone = (item: Item): boolean => {
      const rest = resting.get(keyOf(item))
      return rest === undefined || isOver(rest, at)
    }
    return listed.filter(mayBeDone).slice(0, limit)
  }

  /** @throws StoreUnavailable only: without the store no work would be done. */
  const attempt = async (item: Item, at: Instant, work: () => Promise<unknown>): Promise<void> => {
    const key = keyOf(item)
    try {
      await work()
      works(key)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      rests(key, at, error)
    }
  }

  return {
    due,
    attempt,
    /** Whose work has failed and is to be tried again. */
    failing: (): readonly string[] => [...resting.keys()],
    /** When to look again: at that instant, or earlier, when the first rest ends. */
    nextLook: (next: Instant | null): Instant | null => {
      let first = next ?? Infinity
      for (const { until } of resting.values()) first = Math.min(first, until)
      return first === Infinity ? null : first
    },
  }
}
