import { StoreUnavailable, type Outage } from '../application/event-store.ts'
import type { Log } from './log.ts'

/** After the end of an outage, in ms: whoever comes and goes all the time is not reported each time. */
const quietMs = 10_000
/** How long a failure speaks against what has failed, in ms: after that nobody knows until somebody tries again. */
const doubtMs = 10_000

/** Logs the first failure of an outage, and its end. */
export const reportOutage = (
  log: Log,
  failure: string,
  end: string,
  elapsed: () => number = () => performance.now(),
): Outage => {
  let isReported = false
  let failures = 0
  let quietUntil = -Infinity
  return {
    failed: (error) => {
      failures += 1
      if (isReported || elapsed() < quietUntil) return
      isReported = true
      log.error({ error }, failure)
    },
    worked: () => {
      if (isReported) {
        log.warn({ failures }, end)
        quietUntil = elapsed() + quietMs
      }
      isReported = false
      failures = 0
    },
  }
}

type Use = Outage & {
  /** False when it was last tried a moment ago, and failed. */
  readonly works: () => boolean
}

/** A use that requests make of something, `done` to it; whoever reads the service's log learns when it fails. */
export const useOf = (
  log: Log,
  what: string,
  done: string,
  elapsed = (): number => performance.now(),
): Use => {
  const [failure, end] = [`${what} cannot be ${done} just now`, `${what} can be ${done} again`]
  const { worked, failed } = reportOutage(log, failure, end, elapsed)
  let failedAt = -Infinity
  return {
    worked: () => {
      failedAt = -Infinity
      worked()
    },
    failed: (error) => {
      failedAt = elapsed()
      failed(error)
    },
    works: () => elapsed() - failedAt >= doubtMs,
  }
}

/** The same answer; whether it fails for want of a store is told. */
export const heed = <Answer>({ worked, failed }: Outage, answer: Promise<Answer>) => {
  answer.then(worked, (error: unknown) => {
    if (error instanceof StoreUnavailable) failed(error)
  })
  return answer
}
