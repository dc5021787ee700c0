import type { EventStore } from '../../application/event-store.ts'

/**
 * The same store, but a reader also waits until this process knows as much of what is stored beside
 * the log.
 */
export const waitingStore = <Store extends EventStore>(store: Store) => {
  let besideCaughtUp: (() => Promise<void>) | undefined

  const both = <Answer>(asked: Promise<Answer>): Promise<Answer> =>
    besideCaughtUp ? Promise.all([asked, besideCaughtUp()]).then(([answer]) => answer) : asked

  const waiting: Store = {
    ...store,
    head: () => both(store.head()),
    readStream: (...about) => both(store.readStream(...about)),
  }
  return {
    store: waiting,
    /** For observers, which receive events without reading. */
    besideCaughtUp: async (): Promise<void> => besideCaughtUp?.(),
    waitFor: (caughtUp: () => Promise<void>): void => void (besideCaughtUp = caughtUp),
  }
}
