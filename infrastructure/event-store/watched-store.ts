import { StoreUnavailable, type EventStore, type Outage } from '../../application/event-store.ts'
import type { Log } from '../log.ts'
import { reportOutage } from '../outages.ts'

/** How long a failed append speaks against the store, in ms: after that nobody knows until somebody tries again. */
const doubtMs = 10_000

export type WatchedStore = EventStore & {
  /** False when the last append has failed for want of the store, a moment ago. */
  readonly canBeWritten: () => boolean
}

const reported = (log: Log, what: string, elapsed: () => number): Outage =>
  reportOutage(
    log,
    `the log of events cannot be ${what} just now`,
    `the log of events can be ${what} again`,
    elapsed,
  )

/** The same store; whoever reads the service's log learns when it is away, though requests are told no more than that. */
export const watchStore = (
  store: EventStore,
  log: Log,
  elapsed = (): number => performance.now(),
): WatchedStore => {
  const written = reported(log, 'written', elapsed)
  const reading = reported(log, 'read', elapsed)
  const following = reported(log, 'followed', elapsed)

  let failedAt = -Infinity
  const writing: Outage = {
    worked: () => {
      failedAt = -Infinity
      written.worked()
    },
    failed: (error) => {
      failedAt = elapsed()
      written.failed(error)
    },
  }

  const heed = <Answer>({ worked, failed }: Outage, answer: Promise<Answer>): Promise<Answer> => {
    answer.then(worked, (error: unknown) => {
      if (error instanceof StoreUnavailable) failed(error)
    })
    return answer
  }

  return {
    ...store,
    append: (...what) => heed(writing, store.append(...what)),
    readStream: (...about) => heed(reading, store.readStream(...about)),
    head: () => heed(reading, store.head()),
    follow: (after, signal) => store.follow(after, signal, following),
    canBeWritten: () => elapsed() - failedAt >= doubtMs,
  }
}
