import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

/**
 * Who commits: this thread, a worker, or one after the other, as when requests come alone now
 * and then.
 */
export const writers = ['inline', 'worker', 'in turns'] as const
export type Writer = (typeof writers)[number]

/** An embedded store to append to. */
export const openToWrite = (file: string, writer: Writer) => {
  // The store asks twice for each append. The worker has the first one, and has begun then.
  let asked = 0
  return writer === 'in turns'
    ? openSqliteEventStore(file, 'append', 'worker', () => asked++ % 4 >= 2)
    : openSqliteEventStore(file, 'append', writer)
}
