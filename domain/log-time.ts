import { clockToleranceMs, type Instant } from './time.ts'

/**
 * The time of the log after an event recorded at `at`. Background work stamps its events when it
 * begins, so an event may lie slightly before the log's time. If it lies further back, the clock
 * was set back.
 */
export const logTimeAfter = (logTime: Instant, at: Instant): Instant =>
  at < logTime && logTime - at <= clockToleranceMs ? logTime : at
