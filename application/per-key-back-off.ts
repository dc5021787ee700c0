import type { Instant } from '../domain/time.ts'
import { StoreUnavailable, type Outage } from './event-store.ts'

const firstDelayMs = 1000
const longestDelayMs = 60_000

/** Returns the outage that is notified when a key starts to fail and when it recovers. */
export type OutageOf = (key: string) => Outage

type Needs<Item> = {
  /** A key that backs off delays all of its work. */
  readonly keyOf: (item: Item) => string
  readonly outageOf: OutageOf
}

type BackingOff = { readonly outage: Outage; readonly delayMs: number; readonly until: Instant }

/** Also over if the clock was set back. */
const isOver = ({ delayMs, until }: BackingOff, at: Instant): boolean =>
  at >= until || at < until - delayMs

/**
 * Work of a failing key backs off, twice as long after each failure, without delaying other keys.
 * Long because every step shares the keys that back off.
 */
export const perKeyBackOff = <Item>({ keyOf, outageOf }: Needs<Item>) => {
  const backingOff = new Map<string, BackingOff>()

  const succeeded = (key: string): void => {
    backingOff.get(key)?.outage.worked()
    backingOff.delete(key)
  }

  const failed = (key: string, at: Instant, error: unknown): void => {
    const before = backingOff.get(key)
    const outage = before?.outage ?? outageOf(key)
    const delayMs = before ? Math.min(2 * before.delayMs, longestDelayMs) : firstDelayMs
    backingOff.set(key, { outage, delayMs, until: at + delayMs })
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
    const listLimit = limit + backingOff.size
    const listed = list(listLimit)
    const keys = new Set(listed.map(keyOf))
    // The list is complete: items no longer in it were finished by other processes.
    if (listed.length < listLimit)
      for (const key of backingOff.keys()) if (!keys.has(key)) succeeded(key)
    const isReady = (item: Item): boolean => {
      const rest = backingOff.get(keyOf(item))
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
    failing: (): readonly string[] => [...backingOff.keys()],
    /** The given instant, or the end of the first back-off if earlier. */
    nextLook: (next: Instant | null): Instant | null => {
      const ends = [...backingOff.values()].map(({ until }) => until)
      const first = Math.min(next ?? Infinity, ...ends)
      return first === Infinity ? null : first
    },
  }
}
