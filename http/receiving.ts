import type { HonoRequest } from 'hono'
import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import type { Caller } from './call.ts'
import { RequestError } from './errors.ts'
import { concurrencyLimit } from './concurrency-limit.ts'
import { headerOf, readBody, smallBody, type Incoming, type InTurn } from './reading.ts'
import type { Route } from './route.ts'

const mostWaiting = 10_000
/** How many larger bodies come at the same time: of those who need no right, and of each who has one. */
const coming = { atOnce: 64, mostWaiting }
/** Uploads may be ten times as large: so few come at the same time, and of what is sent to one payment fewer. */
const uploading = { atOnce: 16, mostWaiting }
const uploadingOfOne = { atOnce: 4, mostWaiting: 100 }
/** How long whoever sends slowly keeps the place of others. */
const longestMs = 30_000
const longestUploadMs = 120_000
/** What is parsed of a body may be many times as large in memory. */
const atWork = { atOnce: 4, mostWaiting }

const isSmall = (request: HonoRequest, incoming: Incoming): boolean =>
  incoming.complete !== false || Number(headerOf(request, incoming, 'content-length')) <= smallBody

const inTime = async (work: () => Promise<void>, longestMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new RequestError(408, 'The body did not come to its end in time.'))
    timer = setTimeout(refuse, longestMs)
  })
  await Promise.race([work(), late]).finally(() => clearTimeout(timer))
}

/** Turns of each for itself, as long as anybody waits for one. */
const turnsOfEach = (limits: Parameters<typeof concurrencyLimit>[0]) => {
  const turns = new Map<string, { readonly inTurn: InTurn; users: number }>()
  return (whose: string): InTurn =>
    async (work) => {
      const own = turns.get(whose) ?? { inTurn: concurrencyLimit(limits), users: 0 }
      turns.set(whose, own)
      own.users += 1
      try {
        await own.inTurn(work)
      } finally {
        own.users -= 1
        if (own.users === 0) turns.delete(whose)
      }
    }
}

/**
 * Receives the bodies of requests. A large one takes memory before anybody knows who sends it: so it is read only of those
 * who have the right to their request, and what is more than a small one of few at the same time: of few of each of them,
 * and where everybody has the right, or whoever holds a link, of few altogether.
 */
export const makeReceiving = () => {
  const inTurnOfAnybody = concurrencyLimit(coming)
  const inTurnInTime: InTurn = (work) => inTurnOfAnybody(() => inTime(work, longestMs))
  const inTurnToUpload = concurrencyLimit(uploading)
  const uploadsOf = turnsOfEach(uploadingOfOne)
  const inTurnToWork = concurrencyLimit(atWork)
  const callsOf = turnsOfEach(coming)
  /** A merchant, or an integrator who asks for none, waits for nobody else. */
  const inTurnOf = ({ merchant, actor }: Caller): InTurn => callsOf(merchant || actor)
  const inTurnTo =
    (payment: string): InTurn =>
    (work) =>
      uploadsOf(payment)(() => inTurnToUpload(() => inTime(work, longestUploadMs)))

  return {
    /** `mayAsk` throws when the request is refused, whatever its body. */
    read: (
      { access, upload }: Route,
      request: HonoRequest,
      incoming: Incoming,
      mayAsk: () => MaybePromise<Caller>,
    ): MaybePromise<Uint8Array> => {
      if (isSmall(request, incoming)) return readBody(request, incoming, upload?.largest)
      if (upload) {
        const inTurn = inTurnTo(upload.of(request.param()))
        return readBody(request, incoming, upload.largest, inTurn)
      }
      if (access === 'OPEN') return readBody(request, incoming, undefined, inTurnInTime)
      return andThen(mayAsk(), (caller) => readBody(request, incoming, undefined, inTurnOf(caller)))
    },
    /** Works on what a body led to, soon or in its turn. */
    work: <Result>({ byteLength }: Uint8Array, work: () => Promise<Result>): Promise<Result> =>
      byteLength <= smallBody ? work() : inTurnToWork(work),
  }
}
