import type { Worker } from 'node:worker_threads'
import { start as beginning } from '../../application/event-store.ts'
import { errorOf } from '../threads/answering-thread.ts'
import type { Place } from '../stores.ts'
import { hear, startWorker } from '../worker.ts'
import type { FoldingReply, FoldingRequest, FoldingStart } from './folding-worker.ts'
import type { StartFolding } from './folding.ts'

const retryAfterMs = 1000

/** In megabytes. Events and rows of a batch are short-lived garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 32 }

/** Folds in a worker thread, so that requests are answered meanwhile. */
export const foldInWorker =
  ({ EVENT_STORE, DATA_DIR }: Place, readModels: string): StartFolding =>
  ({ onMoved, onFailure, relay, from = beginning }) => {
    let isStopped = false
    let cancelStart = (): void => {}
    let thread: Worker | undefined
    /** One `hurry` is enough until the read models have moved. */
    let isHurried = false

    const send = (request: FoldingRequest): void => thread?.postMessage(request)

    const start = (): void => {
      const place = { EVENT_STORE, DATA_DIR }
      const workerData: FoldingStart = { place, readModels, relayFrom: from }
      const started = startWorker('infrastructure/read-models/folding-worker', {
        workerData,
        resourceLimits,
      })
      hear(started, (reply: FoldingReply) => {
        if ('relayed' in reply) return relay?.note(reply.relayed)
        isHurried = false
        if ('position' in reply) onMoved(reply.position)
        else onFailure(errorOf(reply))
      })
      started.on('error', onFailure)
      started.on('exit', () => {
        thread = undefined
        isHurried = false
        relay?.lost()
        if (isStopped) return
        onFailure(new Error('the thread that folds the log has ended'))
        const timer = setTimeout(start, retryAfterMs)
        cancelStart = () => clearTimeout(timer)
      })
      thread = started
    }
    start()

    return {
      hurry: () => {
        if (isHurried) return
        isHurried = true
        send('hurry')
      },
      stop: async () => {
        isStopped = true
        cancelStart()
        const last = thread
        if (!last) return
        send('stop')
        await new Promise<void>((resolve) => last.once('exit', () => resolve()))
      },
    }
  }
