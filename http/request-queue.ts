import type { HonoRequest } from 'hono'
import {
  concurrencyLimitPerKey,
  concurrencyLimit,
  type ConcurrencyLimits,
} from '../application/concurrency-limit.ts'
import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import type { Path } from '../application/queue-by-key.ts'
import type { Caller } from './call.ts'
import { RequestError } from './errors.ts'
import {
  headerOf,
  largestBodyOf,
  readBody,
  smallBody,
  type Incoming,
  type InTurn,
} from './body-reader.ts'
import type { Route } from './route.ts'
import { refuseMore } from './turns.ts'
import { clearTimeout, setTimeout } from '../application/machine.ts'

/**
 * Starts one per turn, so that other requests get in between. @throws RequestError 503 when too
 * many wait
 */
export const requestLimit = (limits: ConcurrencyLimits) =>
  concurrencyLimit(limits, { onePerTurn: true, refuseMore })

const maxWaiting = 10_000
/** Larger bodies at a time: of all who have authenticated, of all others, and of one of them. */
const coming = { concurrent: 64, maxWaiting }
const comingOfOne = { concurrent: 16, maxWaiting: 1_000 }
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

/** So many at a time of one key and of all; keys take turns, and each body has so much time. */
const inTurnsOf = (ofAll: ConcurrencyLimits, ofOne: ConcurrencyLimits, longest: number) => {
  const inTurn = requestLimit(ofAll)
  const ofKey = concurrencyLimitPerKey(() => requestLimit(ofOne))
  return (key: string, whose: Path): InTurn =>
    (work) =>
      ofKey(key, () => inTurn(() => inTime(work, longest), whose))
}

/**
 * Receives the bodies of requests. Large bodies take memory, so they are read only after
 * authentication, and few at a time: per caller, per network on open routes, per payment or page
 * for uploads, and in all.
 */
export const makeReceiving = (networksOf: (address: string) => Path) => {
  const ofAnybody = inTurnsOf(coming, comingOfOne, longestMs)
  const ofCallers = inTurnsOf(coming, comingOfOne, longestMs)
  const ofUploads = inTurnsOf(uploading, uploadingOfOne, longestUploadMs)
  const withSlot = requestLimit(atWork)

  return {
    /** `mayAsk` throws when the request is refused whatever its body. */
    read: (
      route: Route,
      request: HonoRequest,
      incoming: Incoming,
      remoteAddress: string | undefined,
      mayAsk: () => MaybePromise<Caller>,
    ): MaybePromise<Uint8Array> => {
      const { access, upload } = route
      const largest = largestBodyOf(route)
      if (isSmall(request, incoming)) return readBody(request, incoming, largest)
      const readIn = (inTurn: InTurn) => readBody(request, incoming, largest, inTurn)
      const networks = networksOf(remoteAddress ?? '')
      const ofUpload = upload && ofUploads(upload.of(request.param()), networks)
      if (ofUpload && access === 'OPEN') return readIn(ofUpload)
      if (access === 'OPEN') return readIn(ofAnybody(networks[0] ?? '', networks))
      return andThen(mayAsk(), ({ merchant, actor }) => {
        const caller = merchant || actor
        return readIn(ofUpload ?? ofCallers(caller, [caller]))
      })
    },
    /** Runs the work at once for a small body, else when a slot is free for whose it is. */
    work: <Result>(
      { byteLength }: Uint8Array,
      whose: Path,
      work: () => Promise<Result>,
    ): Promise<Result> => (byteLength <= smallBody ? work() : withSlot(work, whose)),
  }
}
