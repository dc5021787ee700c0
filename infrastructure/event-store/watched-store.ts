import type { EventStore } from '../../application/event-store.ts'
import type { Log } from '../logs/log.ts'
import { reportingTo, useOf, type Probe } from '../logs/outages.ts'

type WatchedStore = EventStore & {
  /** False while the store is known to be unavailable, or if an append failed recently. */
  readonly canBeWritten: () => boolean
  /** Why not, or why it cannot be read. */
  readonly failure: () => unknown
}

/** The same store, with outages logged; requests get no details of them. */
export const watchStore = (
  store: EventStore & Partial<Pick<WatchedStore, 'canBeWritten' | 'failure'>>,
  log: Log,
  elapsed?: () => number,
  probe?: Probe,
): WatchedStore => {
  const use = (done: string, probe?: Probe) => useOf(log, 'the log of events', done, elapsed, probe)
  const [writing, reading, following] = [use('written', probe), use('read'), use('followed')]
  return {
    ...store,
    append: (...what) => reportingTo(writing, store.append(...what)),
    readStream: (...about) => reportingTo(reading, store.readStream(...about)),
    head: () => reportingTo(reading, store.head()),
    follow: (after, signal) => store.follow(after, signal, following),
    canBeWritten: store.canBeWritten ?? writing.works,
    failure: () => (store.failure ?? writing.failure)() ?? reading.failure(),
  }
}
