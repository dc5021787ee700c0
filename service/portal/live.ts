import { networkOf } from '../../infrastructure/networks.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import type { Core } from '../core.ts'

const mostWatchers = 5000

/** Limits per stream, network and person, so that nobody can crowd out others. */
const mostOfOneStream = 50

const mostOfOneNetwork = 1000

const mostOfOnePerson = 20

type Watcher = { readonly onEvent: () => void; readonly onEnd: (isMoving?: boolean) => void }

/** Counts by key; no limit without a key. */
const countedBy = (most: number) => {
  const counts = new Map<string, number>()
  const countOf = (key: string | undefined): number => (key !== undefined && counts.get(key)) || 0
  const set = (key: string | undefined, count: number): void => {
    if (key === undefined) return
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  return {
    isFull: (key: string | undefined): boolean => countOf(key) >= most,
    enter: (key: string | undefined): void => set(key, countOf(key) + 1),
    leave: (key: string | undefined): void => set(key, countOf(key) - 1),
  }
}

/** Notifies open pages of changes in the stream they show. */
export const makeLive = () => {
  const watchers = new Map<string, Set<Watcher>>()
  const networks = countedBy(mostOfOneNetwork)
  const people = countedBy(mostOfOnePerson)
  let count = 0
  let hasEnded = false
  return {
    onFolded: (streams: ReadonlySet<string>): void => {
      if (count === 0) return
      for (const stream of streams)
        for (const { onEvent } of [...(watchers.get(stream) ?? [])]) onEvent()
    },
    /** Returns a function that stops; undefined if there are too many watchers. */
    watch: (
      stream: string,
      from: string,
      onEvent: () => void,
      onEnd: (isMoving?: boolean) => void,
      person?: string,
    ): (() => void) | undefined => {
      const known = watchers.get(stream) ?? new Set()
      const network = networkOf(from)
      const isFull = networks.isFull(network) || people.isFull(person)
      if (isFull || count >= mostWatchers || known.size >= mostOfOneStream) return undefined
      const watcher = { onEvent, onEnd }
      watchers.set(stream, known.add(watcher))
      networks.enter(network)
      people.enter(person)
      count += 1
      // The page reconnects when the service is back.
      if (hasEnded) queueMicrotask(onEnd)
      return () => {
        if (!known.delete(watcher)) return
        count -= 1
        networks.leave(network)
        people.leave(person)
        if (known.size === 0) watchers.delete(stream)
      }
    },
    /** Ends all streams, and later ones immediately, so that the service can stop. */
    end: (): void => {
      hasEnded = true
      for (const known of [...watchers.values()]) for (const { onEnd } of [...known]) onEnd(true)
    },
  }
}

export type Live = ReturnType<typeof makeLive>

const merchantsRemembered = 10_000

/** Notifies open pages that their merchant has changed, once that is folded. */
export const merchantChanges = ({ onEvents, onFolded }: Pick<Core, 'onEvents' | 'onFolded'>) => {
  const live = makeLive()
  const newest = generationalCache<string, number>(merchantsRemembered)
  let changed = new Set<string>()
  onEvents((events) => {
    for (const { metadata, position, type, data } of events) {
      const { merchant } = metadata
      // A visit changes nothing shown on a page.
      if (typeof merchant !== 'string' || type === 'StaffVisited') continue
      newest.set(merchant, position)
      changed.add(merchant)
      // The payment page shows the callback attempts.
      if (type === 'CallbackAttempted') changed.add(String(data['subject']))
    }
  })
  onFolded(() => {
    const merchants = changed
    changed = new Set()
    live.onFolded(merchants)
  })
  return {
    newestOf: (merchant: string): number => newest.get(merchant) ?? 0,
    watchMerchant: live.watch,
    end: live.end,
  }
}

export type MerchantChanges = ReturnType<typeof merchantChanges>
