import type { HonoRequest } from 'hono'
import { RequestError } from './errors.ts'
import { fewAtOnce } from './few-at-once.ts'
import { readBody, smallBody, type Incoming, type InTurn } from './reading.ts'
import type { Caller, Route } from './route.ts'

const mostWaiting = 10_000
/** How many larger bodies come at the same time: of those who need no right, and of each who has one. */
const coming = { atOnce: 64, mostWaiting }
/** How long whoever sends slowly keeps the place of others. */
const longestMs = 30_000
/** What is parsed of a body may be many times as large in memory. */
const atWork = { atOnce: 4, mostWaiting }

const isSmall = (request: HonoRequest, { complete }: Incoming): boolean =>
  complete !== false || Number(request.header('content-length')) <= smallBody

const inTime = async (work: () => Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new RequestError(408, 'The body did not come to its end in time.'))
    timer = setTimeout(refuse, longestMs)
  })
  await Promise.race([work(), late]).finally(() => clearTimeout(timer))
}

/**
 * Receives the bodies of requests. A large one takes memory before anybody knows who sends it: so it is read only of those
 * who have the right to their request, and what is more than a small one of few at the same time: of few of each of them,
 * and where everybody has the right, of few altogether.
 */
export const makeReceiving = () => {
  const inTurnOfAnybody = fewAtOnce(coming)
  const inTurnInTime = (work: () => Promise<void>) => inTurnOfAnybody(() => inTime(work))
  const inTurnToWork = fewAtOnce(atWork)
  const turns = new Map<string, InTurn>()
  /** A merchant, or an integrator who asks for none, waits for nobody else. */
  const inTurnOf = ({ merchant, actor }: Caller): InTurn => {
    const caller = merchant || actor
    const inTurn = turns.get(caller) ?? fewAtOnce(coming)
    turns.set(caller, inTurn)
    return inTurn
  }

  return {
    /** `mayAsk` throws when the request is refused, whatever its body. */
    read: async (
      { access, upload }: Route,
      request: HonoRequest,
      incoming: Incoming,
      mayAsk: () => Promise<Caller>,
    ): Promise<Uint8Array> => {
      if (!upload && !isSmall(request, incoming)) {
        if (access === 'OPEN') return readBody(request, incoming, undefined, inTurnInTime)
        return readBody(request, incoming, undefined, inTurnOf(await mayAsk()))
      }
      return readBody(request, incoming, upload?.largest)
    },
    /** Works on what a body led to, soon or in its turn. */
    work: <Result>({ byteLength }: Uint8Array, work: () => Promise<Result>): Promise<Result> =>
      byteLength <= smallBody ? work() : inTurnToWork(work),
  }
}
