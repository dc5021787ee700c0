import { fairTurns } from '../application/fair-turns.ts'
import { RequestError } from './errors.ts'

/** What anybody may ask, and large requests and reads, get so much each beside small requests. */
const share = 0.25
const maxWaiting = 20_000
/** How long after a small request this holds, in ms. */
const besideMs = 100

export const refuseMore = (): never => {
  const retryAfter = { 'Retry-After': '2' }
  throw new RequestError(503, 'Too many are asking at the same time.', null, retryAfter)
}

/** Notes small requests of merchants, at the cost of one assignment each. */
const makeOtherWork = (elapsed: () => number) => {
  let hasCome = false
  let until = 0
  return {
    note: (): void => {
      hasCome = true
    },
    isUnderWay: (): boolean => {
      const now = elapsed()
      if (hasCome) until = now + besideMs
      hasCome = false
      return now < until
    },
  }
}

/**
 * Turns on the thread that answers (interface 3.9): of networks for what anybody may ask, of
 * merchants for large requests and for reads other than polls. @throws RequestError 503 when too
 * many wait
 */
export const makeTurns = (
  networksOf: (address: string) => readonly string[],
  elapsed = (): number => performance.now(),
) => {
  const other = makeOtherWork(elapsed)
  const limits = { share, maxWaiting, refuseMore, elapsed, isOtherWork: other.isUnderWay }
  const ofNetworks = fairTurns(limits)
  const ofMerchants = fairTurns(limits)
  return {
    ofAnybody: (address: string | undefined): Promise<void> =>
      ofNetworks(networksOf(address ?? '')),
    ofMerchant: (merchant: string): Promise<void> => ofMerchants([merchant]),
    noteSmall: other.note,
  }
}

export type Turns = ReturnType<typeof makeTurns>
