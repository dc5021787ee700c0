import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'

/** Who commits: this thread, a worker, or both alternately, as with occasional single requests. */
export const writers = ['inline', 'worker', 'in turns'] as const
export type Writer = (typeof writers)[number]

/** An embedded store to append to. */
export const openToWrite = (file: string, writer: Writer) => {
  // The store checks twice per append. The first append goes to the worker, which has started then.
  let asked = 0
  return writer === 'in turns'
    ? openSqliteEventStore(file, 'append', 'worker', () => asked++ % 4 >= 2)
    : openSqliteEventStore(file, 'append', writer)
}
