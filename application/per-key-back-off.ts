import type { Instant } from '../domain/time.ts'
import { StoreUnavailable, type Outage } from './event-store.ts'

const firstRestMs = 1000
const longestRestMs = 60_000

/** Returns the outage that is notified when a key starts to fail and when it recovers. */
export type OutageOf = (key: string) => Outage

type Needs<Item> = {
  /** A key that backs off delays all of its work. */
  readonly keyOf: (item: Item) => string
  readonly outageOf: OutageOf
}

type Resting = { readonly outage: Outage; readonly restMs: number; readonly until: Instant }

/** Also over if the clock was set back. */
const isOver = ({ restMs, until }: Resting, at: Instant): boolean =>
  at >= until || at < until - restMs

/**
 * Work of a failing key backs off, twice as long after each failure, without delaying other keys.
 * Long because every step shares the keys that back off.
 */
export const perKeyBackOff = <Item>({ keyOf, outageOf }: Needs<Item>) => {
  const resting = new Map<string, Resting>()

  const succeeded = (key: string): void => {
    resting.get(key)?.outage.worked()
    resting.delete(key)
  }

  const failed = (key: string, at: Instant, error: unknown): void => {
    const before = resting.get(key)
    const outage = before?.outage ?? outageOf(key)
    const restMs = before ? Math.min(2 * before.restMs, longestRestMs) : firstRestMs
    resting.set(key, { outage, restMs, until: at + restMs })
    outage.failed(error)
  }

  /**
   * Up to `limit` listed items that are not backing off. Lists more, so that those crowd nothing
   * out.
   */
  const due = (
    at: Instant,
    limit: number,
    list: (limit: number) => readonly Item[],
  ): readonly Item[] => {
    const listLimit = limit + resting.size
    const listed = list(listLimit)
    const keys = new Set(listed.map(keyOf))
    // The list is complete: items no longer in it were finished by other processes.
    if (listed.length < listLimit)
      for (const key of resting.keys()) if (!keys.has(key)) succeeded(key)
    const isReady = (item: Item): boolean => {
      const rest = resting.get(keyOf(item))
      return rest === undefined || isOver(rest, at)
    }
    return listed.filter(isReady).slice(0, limit)
  }

  /** @throws StoreUnavailable, because then every key would fail */
  const attempt = async (item: Item, at: Instant, work: () => Promise<unknown>): Promise<void> => {
    const key = keyOf(item)
    try {
      await work()
      succeeded(key)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      failed(key, at, error)
    }
  }

  return {
    due,
    attempt,
    failing: (): readonly string[] => [...resting.keys()],
    /** The given instant, or the end of the first back-off if earlier. */
    nextLook: (next: Instant | null): Instant | null => {
      const ends = [...resting.values()].map(({ until }) => until)
      const first = Math.min(next ?? Infinity, ...ends)
      return first === Infinity ? null : first
    },
  }
}
