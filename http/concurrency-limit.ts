import { concurrencyLimit, type ConcurrencyLimits } from '../application/concurrency-limit.ts'
import { refuseMore } from './turns.ts'

/**
 * Starts one per turn, so that other requests get in between. @throws RequestError 503 when too
 * many wait
 */
export const requestLimit = (limits: ConcurrencyLimits) =>
  concurrencyLimit(limits, { onePerTurn: true, refuseMore })
