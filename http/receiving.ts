import type { HonoRequest } from 'hono'
import { readBody, type Incoming } from './reading.ts'
import type { Route } from './route.ts'
import { makeTurns } from './turns.ts'

/** In bytes: of larger bodies few are kept or worked on at the same time, wherever nobody has a right to more. */
const smallBody = 65_536

const emptyBody = new Uint8Array()

const mostWaiting = 10_000
/** Whoever sends slowly keeps a place for as long as a request may take to come. */
const ofAnybody = { atOnce: 64, mostWaiting }
/** What is parsed of a body may be many times as large in memory. */
const atWork = { atOnce: 4, mostWaiting }

const isSmall = (request: HonoRequest, { complete }: Incoming): boolean =>
  complete !== false || Number(request.header('content-length')) <= smallBody

/**
 * Receives the bodies of requests. A large one takes memory before anybody knows who sends it: so it is read only of those
 * who have the right to their request, and where everybody has, of few at the same time.
 */
export const makeReceiving = () => {
  const inTurnOfAnybody = makeTurns(ofAnybody)
  const inTurnToWork = makeTurns(atWork)

  return {
    /** `mayAsk` throws when the request is refused, whatever its body. */
    read: async (
      { access, upload }: Route,
      request: HonoRequest,
      incoming: Incoming,
      mayAsk: () => Promise<unknown>,
    ): Promise<Uint8Array> => {
      if (request.method === 'GET' || request.method === 'HEAD') return emptyBody
      const read = () => readBody(request, incoming, upload?.largest)
      if (upload || isSmall(request, incoming)) return read()
      if (access === 'OPEN') return inTurnOfAnybody(read)
      await mayAsk()
      return read()
    },
    /** Works on what a body led to, soon or in its turn. */
    work: <Result>({ byteLength }: Uint8Array, work: () => Promise<Result>): Promise<Result> =>
      byteLength <= smallBody ? work() : inTurnToWork(work),
  }
}
