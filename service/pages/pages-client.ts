import type { getRequestListener } from '@hono/node-server'
import type { IncomingMessage } from 'node:http'
import { StoreUnavailable } from '../../application/event-store.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import type { Vitals } from '../metrics/readiness.ts'
import type { ReadModels } from '../../infrastructure/read-models/read-models.ts'
import { startReader } from '../../infrastructure/read-models/reading-thread.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import type { FromPages, Measured, PagesStart, ToPages, PageRequest } from './page-exchange.ts'
import { clearTimeout, setTimeout, steadyTime } from '../../application/machine.ts'

type Answer = Extract<FromPages, { readonly answer: number }>

type Waiting = {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
}

/** Responses from a worker, whose bodies are streamed on demand. */
export const requestPages = (tell: (message: ToPages) => void) => {
  const waiting = new Map<number, Waiting>()
  const reading = new Map<number, ReadableStreamDefaultController<Uint8Array>>()
  let count = 0

  const bodyOf = (number: number): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start: (controller) => void reading.set(number, controller),
      pull: () => tell({ more: number }),
      cancel: () => {
        reading.delete(number)
        tell({ leave: number })
      },
    })

  const fail = (number: number, error: Error): void => {
    waiting.get(number)?.reject(error)
    waiting.delete(number)
    reading.get(number)?.error(error)
    reading.delete(number)
  }

  return {
    ask: (request: PageRequest): Promise<Response> =>
      new Promise((resolve, reject) => {
        count += 1
        waiting.set(count, { resolve, reject })
        tell({ ask: count, request })
      }),
    answered: ({ answer, status, headers, hasBody }: Answer): void => {
      const body = hasBody ? bodyOf(answer) : null
      waiting.get(answer)?.resolve(new Response(body, { status, headers }))
      waiting.delete(answer)
    },
    read: (number: number, chunk: Uint8Array | undefined): void => {
      const controller = reading.get(number)
      if (chunk) return controller?.enqueue(chunk)
      reading.delete(number)
      controller?.close()
    },
    fail,
    failAll: (error: Error): void => {
      for (const number of [...waiting.keys(), ...reading.keys()]) fail(number, error)
    },
    underWay: (): number => waiting.size + reading.size,
  }
}

type Fetch = Parameters<typeof getRequestListener>[0]
type FetchArguments = Parameters<Fetch>
/** Responds with the failure, if there is one. */
type FetchOrFail = (
  request: FetchArguments[0],
  bindings: FetchArguments[1] & { readonly failure?: Error },
) => ReturnType<Fetch>

/** In megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }
/** How long this thread answers pages itself after the worker failed to start, in ms. */
const restMs = 10_000
/**
 * The thread ends after this time without a request, because a running thread reads every event.
 */
const idleMs = 600_000
/** How long it may take to end, in ms. */
const longestEndMs = 1_000

const isPage = (target: string): boolean => /^\/(portal|operator|audit)(?=[/?]|$)/.test(target)

type Needs = {
  readonly settings: Settings
  readonly address: () => string
  readonly readModels: Pick<ReadModels, 'position' | 'onMoved' | 'hurry'>
  readonly measure: (...measured: Measured) => void
  readonly vitals: () => Promise<Vitals>
}

const startThread = (
  needs: Needs,
  log: Log,
  onEnd: (reason: string, wasReady: boolean) => void,
) => {
  const { settings, address, readModels, measure, vitals } = needs
  const workerData: PagesStart = { settings, address: address(), position: readModels.position() }
  const options = { workerData, resourceLimits }
  const reader = startReader<ToPages, FromPages>('service/pages/pages-worker', options, {
    readModels,
    does: 'shows pages',
    onReady: () => log.info('pages are answered in a worker thread'),
    onMessage: (message) => {
      if ('answer' in message) return exchanges.answered(message)
      if ('of' in message) return exchanges.read(message.of, message.chunk)
      if ('failed' in message) return exchanges.fail(message.failed, new Error(message.problem))
      return 'measured' in message ? measure(...message.measured) : tellVitals(message.wanted)
    },
    onEnd: (reason, wasReady) => {
      exchanges.failAll(new StoreUnavailable(reason))
      onEnd(reason, wasReady)
    },
  })
  const { tell, isReady } = reader
  const exchanges = requestPages(tell)
  const tellVitals = async (number: number): Promise<void> =>
    tell({ told: number, vitals: await vitals().catch(() => undefined) })

  return {
    isReady,
    ask: exchanges.ask,
    underWay: exchanges.underWay,
    endStreams: (): void => tell('end'),
    // It receives no messages before it is ready.
    stop: (): Promise<void> => reader.stop(isReady() ? longestEndMs : 0),
  }
}

/** The thread, running while somebody looks at pages. */
const threadOnDemand = (needs: Needs, log: Log) => {
  let thread: ReturnType<typeof startThread> | undefined
  let restsUntil = 0
  /** The requests in progress may have crashed it, and are not retried in this thread. */
  let hasFailed = false
  let idle: NodeJS.Timeout | undefined

  const started = () => {
    const begun = startThread(needs, log, (reason, wasReady) => {
      if (thread !== begun) return
      thread = undefined
      hasFailed = wasReady
      if (wasReady)
        return log.error({ reason }, 'pages are answered again when the thread has restarted')
      restsUntil = steadyTime() + restMs
      log.error({ reason }, 'pages are answered in the main thread for now')
    })
    return begun
  }

  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const last = thread
    thread = undefined
    await last?.stop()
  }

  const watchIdle = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (thread?.underWay()) watchIdle()
      else stop().catch((error: unknown) => log.error({ error }, 'pages: no end of the thread'))
    }, idleMs).unref()
  }

  return {
    /**
     * Starts it. Undefined until it is ready, and for a while if it cannot start.
     * @throws StoreUnavailable after a crash, until it is ready again
     */
    wanted: () => {
      if (steadyTime() >= restsUntil) thread ??= started()
      watchIdle()
      if (thread?.isReady()) hasFailed = false
      if (hasFailed) throw new StoreUnavailable('the thread that shows pages is restarting')
      return thread?.isReady() ? thread : undefined
    },
    endStreams: (): void => thread?.endStreams(),
    stop,
  }
}

const isHttp1 = (incoming: FetchArguments[1]['incoming']): incoming is IncomingMessage =>
  incoming.httpVersionMajor === 1

/**
 * Answers the pages of merchants' staff, operators and auditors in a thread of lower priority: they
 * read much, and payments need not wait for them. It runs while somebody looks at pages. Until it
 * is ready, or if it cannot start, pages are answered inline. If it crashes, its requests in
 * progress fail as unavailable. Forms are rare and always answered inline.
 */
export const pagesInThread = (needs: Needs, log: Log) => {
  const { wanted, endStreams, stop } = threadOnDemand(needs, log)
  let isStopping = false

  const answerThere = async (
    fetch: FetchOrFail,
    [request, bindings]: FetchArguments,
  ): Promise<unknown> => {
    const { incoming } = bindings
    try {
      const thread = wanted()
      if (thread && isHttp1(incoming)) {
        const { url: target = '/', method = 'GET', headers, socket } = incoming
        const forwarded = { url: request.url, method, target, headers }
        return await thread.ask({ ...forwarded, peer: socket.remoteAddress })
      }
    } catch (error) {
      const isAway = error instanceof StoreUnavailable
      if (!isAway) log.error({ error }, 'the thread that shows pages could not read one')
      const failure = isAway ? error : new StoreUnavailable('this page could not be read')
      return fetch(request, { ...bindings, failure })
    }
    return fetch(request, bindings)
  }

  return {
    over:
      (fetch: FetchOrFail): Fetch =>
      (request, bindings) => {
        const { method, url = '/' } = bindings.incoming
        const isRead = method === 'GET' || method === 'HEAD'
        return isRead && isPage(url) && !isStopping
          ? answerThere(fetch, [request, bindings])
          : fetch(request, bindings)
      },
    endStreams: (): void => {
      isStopping = true
      endStreams()
    },
    stop,
  }
}
