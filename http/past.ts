import type { AskedMoment } from '../application/asked-moment.ts'
import type { Instant } from '../domain/time.ts'
import type { AsOfNeeds, Past } from './as-of.ts'
import { merchantInterface, type MerchantRouteNeeds } from './routes.ts'

type PastMoments<Moment> = {
  readonly check: (asked: AskedMoment) => Promise<void>
  readonly at: <Answer>(
    asked: AskedMoment,
    who: string,
    work: (moment: Moment, at: Instant) => Promise<Answer>,
  ) => Promise<Answer>
}

/** The merchant interface over what was known at moments; each gets routes of its own. */
export const answersAsOf = <Moment extends object>(
  past: PastMoments<Moment>,
  needsAt: (moment: Moment) => MerchantRouteNeeds,
): AsOfNeeds => {
  const known = new WeakMap<Moment, Past['routes']>()
  const routesAt = (moment: Moment): Past['routes'] => {
    const reading = merchantInterface(needsAt(moment)).filter(({ method }) => method === 'GET')
    const made = new Map(reading.map((route) => [route.path, route]))
    known.set(moment, made)
    return made
  }
  return {
    checkMoment: past.check,
    answerAsOf: (asked, who, answer) =>
      past.at(asked, who, (moment, at) =>
        answer({ at, routes: known.get(moment) ?? routesAt(moment) }),
      ),
  }
}
