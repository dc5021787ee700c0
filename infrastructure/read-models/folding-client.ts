import type { Worker } from 'node:worker_threads'
import type { Place } from '../stores.ts'
import { startWorker } from '../worker.ts'
import type { Given, Tells, Told } from './folding-worker.ts'
import type { StartFolding } from './folding.ts'

const retryAfterMs = 1000

/** In megabytes: a batch of events and the rows of many payments are young when they are thrown away. */
const resourceLimits = { maxYoungGenerationSizeMb: 32 }

/** Folds in a thread of its own, into the file that is read here, so that requests are answered meanwhile. */
export const foldInWorker =
  ({ EVENT_STORE, DATA_DIR }: Place, readModels: string): StartFolding =>
  ({ onMoved, onFailure }) => {
    let isStopped = false
    let callOffStart = (): void => {}
    let thread: Worker | undefined
    /** Once is enough until the read models have moved. */
    let isHurried = false

    const tell = (what: Told): void => thread?.postMessage(what)

    const start = (): void => {
      const workerData: Given = { place: { EVENT_STORE, DATA_DIR }, readModels }
      const started = startWorker('read-models/folding-worker', { workerData, resourceLimits })
      started.on('message', (told: Tells) => {
        isHurried = false
        if ('position' in told) onMoved(told.position)
        else onFailure(new Error(told.problem))
      })
      started.on('error', onFailure)
      started.on('exit', () => {
        thread = undefined
        isHurried = false
        if (isStopped) return
        onFailure(new Error('the thread that folds the log has ended'))
        const timer = setTimeout(start, retryAfterMs)
        callOffStart = () => clearTimeout(timer)
      })
      thread = started
    }
    start()

    return {
      hurry: () => {
        if (isHurried) return
        isHurried = true
        tell('hurry')
      },
      stop: async () => {
        isStopped = true
        callOffStart()
        const last = thread
        if (!last) return
        tell('stop')
        // Whatever it ends with has been told.
        await new Promise<void>((resolve) => last.once('exit', () => resolve()))
      },
    }
  }
