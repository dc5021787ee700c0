import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Place } from '../stores.ts'
import { startThread } from '../thread.ts'
import type { Given, Tells, Told } from './folding-thread.ts'
import type { StartFolding } from './folding.ts'

const retryAfterMs = 1000

/** In megabytes: a batch of events and the rows of many payments are young when they are thrown away. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 }

/** For how long a thread goes first, in ms, when somebody has waited for long. */
const usualPrecedence = 300_000

/**
 * Folds in a thread of its own, into the file that is read here, so that requests are answered meanwhile. The thread lets
 * all others go first. Where they leave it too little, another takes its place that does not, for a while: a thread may
 * not raise its priority, but begins with that of this one.
 */
export const foldApart =
  (
    { EVENT_STORE, DATA_DIR }: Place,
    readModels: string,
    precedence = usualPrecedence,
  ): StartFolding =>
  ({ onMoved, onFailure }) => {
    let isStopped = false
    let callOffStart = (): void => {}
    const threads = new Set<Worker>()
    /** The one that is listened to: others are about to end. */
    let thread: Worker | undefined
    /** When it began, or begins, to let others go first. */
    let yieldsAt = 0
    /** Once is enough until the read models have moved. */
    let isHurried = false

    const tell = (what: Told, whom = thread): void => whom?.postMessage(what)

    const start = (yieldsAfter = 0): void => {
      const place = { EVENT_STORE, DATA_DIR }
      const workerData: Given = { place, readModels, yieldsAfter }
      const started = startThread('read-models/folding-thread', { workerData, resourceLimits })
      started.on('message', (told: Tells) => {
        if (thread !== started) return
        isHurried = false
        if ('position' in told) onMoved(told.position)
        else onFailure(new Error(told.problem))
      })
      started.on('error', onFailure)
      started.on('exit', () => {
        threads.delete(started)
        if (thread !== started) return
        thread = undefined
        isHurried = false
        if (isStopped) return
        onFailure(new Error('the thread that folds the log has ended'))
        const timer = setTimeout(start, retryAfterMs)
        callOffStart = () => clearTimeout(timer)
      })
      threads.add(started)
      thread = started
      yieldsAt = performance.now() + yieldsAfter
    }
    start()

    return {
      hurry: () => {
        if (isHurried) return
        isHurried = true
        tell('hurry')
      },
      goFirst: () => {
        if (!thread || isStopped || performance.now() < yieldsAt) return
        const before = thread
        try {
          start(precedence)
        } catch (error) {
          // There may be no room for another thread: the one that is there goes on.
          return onFailure(error)
        }
        isHurried = false
        tell('stop', before)
      },
      stop: async () => {
        isStopped = true
        callOffStart()
        const ended = [...threads].map((each) => once(each, 'exit'))
        // One whose place another has taken was told before.
        tell('stop')
        await Promise.all(ended)
      },
    }
  }
