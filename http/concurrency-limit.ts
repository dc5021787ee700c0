import { concurrencyLimit, type ConcurrencyLimits } from '../application/concurrency-limit.ts'
import type { Call } from './call.ts'
import { RequestError } from './errors.ts'
import type { Route } from './route.ts'

const refuseMore = (): never => {
  const retryAfter = { 'Retry-After': '2' }
  throw new RequestError(503, 'Too many are asking at the same time.', null, retryAfter)
}

/**
 * Starts one per turn, so that other requests get in between. @throws RequestError 503 when too
 * many wait
 */
export const requestLimit = (limits: ConcurrencyLimits) =>
  concurrencyLimit(limits, { onePerTurn: true, refuseMore })

/** Routes that must not hold up other routes under load. */
export const limited = (routes: readonly Route[]): Route[] => {
  const limit = requestLimit({ concurrent: 16, maxWaiting: 20_000 })
  return routes.map((route) => ({
    ...route,
    handle: (call: Call) => limit(() => route.handle(call)),
  }))
}
