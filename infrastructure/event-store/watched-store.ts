import { StoreUnavailable, type EventStore, type Outage } from '../../application/event-store.ts'
import type { Log } from '../log.ts'

/** After the end of an outage, in ms: whoever comes and goes all the time is not reported each time. */
const quietMs = 10_000

/** Logs the first failure of an outage and its end. */
const reported = (log: Log, what: string, elapsed: () => number): Outage => {
  let isReported = false
  let failures = 0
  let quietUntil = -Infinity
  return {
    failed: (error) => {
      failures += 1
      if (isReported || elapsed() < quietUntil) return
      isReported = true
      log.error({ error }, `the log of events cannot be ${what} just now`)
    },
    worked: () => {
      if (!isReported) return
      log.warn({ failures }, `the log of events can be ${what} again`)
      isReported = false
      failures = 0
      quietUntil = elapsed() + quietMs
    },
  }
}

/** The same store; whoever reads the service's log learns when it is away, though requests are told no more than that. */
export const watchStore = (
  store: EventStore,
  log: Log,
  elapsed: () => number = () => performance.now(),
): EventStore => {
  const writing = reported(log, 'written', elapsed)
  const reading = reported(log, 'read', elapsed)
  const following = reported(log, 'followed', elapsed)

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
  }
}
