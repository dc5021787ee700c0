import type { HonoRequest } from 'hono'
import {
  concurrencyLimitPerKey,
  concurrencyLimit,
  type ConcurrencyLimits,
} from '../application/concurrency-limit.ts'
import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import type { Path } from '../application/fair-queue.ts'
import type { Caller } from './call.ts'
import { RequestError } from './errors.ts'
import {
  headerOf,
  largestBodyOf,
  readBody,
  smallBody,
  type Incoming,
  type InTurn,
} from './reading.ts'
import type { Route } from './route.ts'
import { refuseMore } from './turns.ts'

/**
 * Starts one per turn, so that other requests get in between. @throws RequestError 503 when too
 * many wait
 */
export const requestLimit = (limits: ConcurrencyLimits) =>
  concurrencyLimit(limits, { onePerTurn: true, refuseMore })

const maxWaiting = 10_000
/** Larger bodies at a time: on open routes together, else per caller. */
const coming = { concurrent: 64, maxWaiting }
/** Uploads may be ten times as large, so fewer at a time, and fewer still per payment. */
const uploading = { concurrent: 16, maxWaiting }
const uploadingOfOne = { concurrent: 4, maxWaiting: 100 }
/** A slow sender loses its slot after this time. */
const longestMs = 30_000
const longestUploadMs = 120_000
/** Parsed bodies can take many times their size. */
const atWork = { concurrent: 4, maxWaiting }

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

/**
 * Receives the bodies of requests. Large bodies take memory, so they are read only after
 * authentication, few at a time per caller, or few in all on open routes and uploads by link.
 */
export const makeReceiving = () => {
  const inTurnOfAnybody = requestLimit(coming)
  const inTurnInTime: InTurn = (work) => inTurnOfAnybody(() => inTime(work, longestMs))
  const inTurnToUpload = requestLimit(uploading)
  const uploadsOf = concurrencyLimitPerKey(() => requestLimit(uploadingOfOne))
  const withSlot = requestLimit(atWork)
  const callsOf = concurrencyLimitPerKey(() => requestLimit(coming))
  /** A caller waits only for its own requests. */
  const inTurnOf =
    ({ merchant, actor }: Caller): InTurn =>
    (work) =>
      callsOf(merchant || actor, work)
  const inTurnTo =
    (payment: string): InTurn =>
    (work) =>
      uploadsOf(payment, () => inTurnToUpload(() => inTime(work, longestUploadMs)))

  return {
    /** `mayAsk` throws when the request is refused whatever its body. */
    read: (
      route: Route,
      request: HonoRequest,
      incoming: Incoming,
      mayAsk: () => MaybePromise<Caller>,
    ): MaybePromise<Uint8Array> => {
      const { access, upload } = route
      const largest = largestBodyOf(route)
      if (isSmall(request, incoming)) return readBody(request, incoming, largest)
      if (upload) {
        const inTurn = inTurnTo(upload.of(request.param()))
        return readBody(request, incoming, largest, inTurn)
      }
      if (access === 'OPEN') return readBody(request, incoming, largest, inTurnInTime)
      return andThen(mayAsk(), (caller) => readBody(request, incoming, largest, inTurnOf(caller)))
    },
    /** Runs the work at once for a small body, else when a slot is free for whose it is. */
    work: <Result>(
      { byteLength }: Uint8Array,
      whose: Path,
      work: () => Promise<Result>,
    ): Promise<Result> => (byteLength <= smallBody ? work() : withSlot(work, whose)),
  }
}
