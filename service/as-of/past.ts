import type { AskedMoment } from '../../audit/as-of/asked-moment.ts'
import type { Instant } from '../../domain/time.ts'
import type { AsOfNeeds, Past } from '../../http/as-of.ts'
import { isRecord } from '../../http/validation.ts'
import { endingWith } from '../../http/text-stream.ts'
import { merchantInterface, type MerchantRouteNeeds } from '../routes.ts'

type HeldMoment<Moment> = {
  readonly moment: Moment
  readonly at: Instant
  /** What to throw instead of an error of its files. */
  readonly failureOf: (error: unknown) => unknown
  readonly release: () => void
}

type PastMoments<Moment> = {
  readonly check: (asked: AskedMoment) => Promise<void>
  /** Until it is released. */
  readonly hold: (asked: AskedMoment, who: string) => Promise<HeldMoment<Moment>>
}

/** Releases once the reply is there, or its stream has ended. */
const releasedAfter = <Answer>(reply: Answer, release: () => void): Answer => {
  const body = isRecord(reply) ? reply['body'] : undefined
  if (body instanceof ReadableStream) return { ...reply, body: endingWith(body, release) }
  release()
  return reply
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
    answerAsOf: async (asked, who, answer) => {
      const { moment, at, failureOf, release } = await past.hold(asked, who)
      try {
        const routes = known.get(moment) ?? routesAt(moment)
        return releasedAfter(await answer({ at, routes }), release)
      } catch (error) {
        release()
        throw failureOf(error)
      }
    },
  }
}
