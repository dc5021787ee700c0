import type { MessagePort } from 'node:worker_threads'
import { StoreUnavailable, type Position } from '../../application/event-store.ts'
import {
  startReader,
  type FromReader,
  type ToReader,
} from '../../infrastructure/read-models/reading-thread.ts'
import type { CountAttempt } from '../metrics/counters.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { Work } from '../background-work.ts'
import type { Core } from '../core.ts'
import { steadyTime } from '../../application/machine.ts'

export type DeliveryStart = {
  readonly settings: Settings
  readonly address: string
  /** Position of the read models when the thread starts. */
  readonly position: Position
  /** Commits for the thread, so that the two do not contend for the file. */
  readonly writer: MessagePort
}

export type ToDelivery =
  | ToReader
  /** Attempt everything due by now; the reply has the same number. */
  | { readonly settle: number }

export type FromDelivery =
  | FromReader
  | { readonly settled: number; readonly problem: string | undefined }
  /** Attempts since the last such message. */
  | { readonly attempts: readonly Parameters<CountAttempt>[] }

/** In megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }
/** Delay before the thread is restarted after its end, in ms. */
const restMs = 1_000
/** Extra time for a thread that is still starting when asked to end, in ms. */
const longestBeginMs = 1_000

type Needs = Pick<Core, 'settings' | 'publicUrl' | 'readModels' | 'log'> & {
  readonly callbacks: {
    readonly queue: Pick<Core['callbacks']['queue'], 'dueAnywhere'>
    readonly eventDestinations: Pick<Core['callbacks']['eventDestinations'], 'all'>
  }
}
type Settling = { readonly resolve: () => void; readonly reject: (error: Error) => void }

const startThread = (
  { settings, publicUrl, readModels, log }: Needs,
  shareWriter: () => MessagePort,
  countAttempt: CountAttempt,
  onEnd: (reason: string) => void,
) => {
  const writer = shareWriter()
  const position = readModels.position()
  const workerData: DeliveryStart = { settings, address: publicUrl(), position, writer }
  const settling = new Map<number, Settling>()
  let settled = 0
  const options = { workerData, resourceLimits, transferList: [writer] }
  const entry = 'service/callbacks/delivery-worker'
  const reader = startReader<ToDelivery, FromDelivery>(entry, options, {
    readModels,
    does: 'delivers callbacks',
    onReady: () => log.info('callbacks are delivered in a worker thread'),
    onMessage: (message) => {
      if ('attempts' in message)
        return message.attempts.forEach((counted) => countAttempt(...counted))
      const one = settling.get(message.settled)
      settling.delete(message.settled)
      return message.problem === undefined
        ? one?.resolve()
        : one?.reject(new StoreUnavailable(message.problem))
    },
    onEnd: (reason) => {
      for (const { reject } of settling.values()) reject(new StoreUnavailable(reason))
      onEnd(reason)
    },
  })

  return {
    settle: (): Promise<void> =>
      new Promise((resolve, reject) => {
        settling.set((settled += 1), { resolve, reject })
        reader.tell({ settle: settled })
      }),
    // It records its sent messages first. A thread that is still starting gets an extra second.
    stop: (): Promise<void> => reader.stop(reader.isReady() ? undefined : longestBeginMs),
  }
}

/**
 * Delivers callbacks in a thread of lower priority, so that payments need not wait. The thread
 * starts with the first queued message or event destination, and restarts a second after it ends.
 */
export const deliveryInThread = (
  needs: Needs,
  shareWriter: () => MessagePort,
  countAttempt: CountAttempt,
): Work => {
  const { queue, eventDestinations } = needs.callbacks
  let thread: ReturnType<typeof startThread> | undefined
  let restsUntil = 0
  let isStopping = false
  let wake = () => {}

  const started = () => {
    if (thread) return thread
    const begun = startThread(needs, shareWriter, countAttempt, (reason) => {
      if (isStopping) return
      thread = undefined
      restsUntil = steadyTime() + restMs
      needs.log.error({ reason }, 'callback delivery resumes when the thread has restarted')
      wake()
    })
    return (thread = begun)
  }

  /** Includes later messages: a clock that was ahead may have postponed them. */
  const isAnyWaiting = (): boolean => queue.dueAnywhere(Number.MAX_SAFE_INTEGER, 1).length > 0

  return {
    name: 'deliver_callbacks',
    due: async (at) => {
      if (thread || isStopping) return null
      if (steadyTime() < restsUntil) return at + restMs
      // The first messages to an event destination need not wait for its start.
      if (isAnyWaiting() || eventDestinations.all().length > 0) started()
      return null
    },
    sendsMessages: true,
    lease: 'merchants',
    onScheduled: (wakeIt) => (wake = wakeIt),
    settle: async () => {
      if (thread || isAnyWaiting()) await started().settle()
    },
    idle: async () => {
      isStopping = true
      await thread?.stop()
    },
  }
}
