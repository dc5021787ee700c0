import { StoreUnavailable, type EventStore } from '../../application/event-store.ts'
import { eventLevel, hasNewKinds, levelOf } from '../../domain/event-level.ts'

/**
 * The same store, which appends an event only once every process that is alive reads its level.
 * `lowest` is the level that all read. An append that must wait is refused like an outage: it may
 * be repeated.
 */
export const gateNewerKinds = <Store extends Pick<EventStore, 'append'>>(
  store: Store,
  lowest: () => number,
  level = levelOf,
): Store => ({
  ...store,
  append: (stream, events, ...more) => {
    const all = lowest()
    const newer = events.find(({ type, metadata }) => level(type, metadata['schema']) > all)
    if (!newer) return store.append(stream, events, ...more)
    const why = `${newer.type} is not written while a process of an earlier version is alive`
    return Promise.reject(new StoreUnavailable(why))
  },
})

/** The gate in front of a store; `limitKinds` sets the level that every process reads. */
export const gateOf = <Store extends Pick<EventStore, 'append'>>(store: Store) => {
  let lowest = (): number => eventLevel
  return {
    // Without new kinds it would cost something and never refuse.
    store: hasNewKinds ? gateNewerKinds(store, () => lowest()) : store,
    limitKinds: (read: () => number): void => void (lowest = read),
  }
}
