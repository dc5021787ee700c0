import type { Outage } from '../application/event-store.ts'
import type { Log } from './log.ts'

/** After the end of an outage, in ms: whoever comes and goes all the time is not reported each time. */
const quietMs = 10_000

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
