import { clockToleranceMs, type Instant } from './time.ts'

/**
 * The time of the log after an event recorded at `at`. Work beside the requests stamps its events
 * when it begins, so a time may lie a little before that of the log. If it lies further back, the
 * clock was put back.
 */
export const logTimeAfter = (logTime: Instant, at: Instant): Instant =>
  at < logTime && logTime - at <= clockToleranceMs ? logTime : at
