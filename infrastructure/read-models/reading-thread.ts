import type { WorkerOptions } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import { endWorker, hear, startWorker } from '../worker.ts'
import type { ReadModels } from './read-models.ts'
import { clearTimeout, setTimeout } from '../../application/machine.ts'

/** The read models have moved; or the thread is to end. */
export type ToReader = { readonly moved: Position } | 'stop'
/** A reader waits for the read models. */
export type FromReader = 'ready' | 'hurry'

type Needs<From> = {
  readonly readModels: Pick<ReadModels, 'onMoved' | 'hurry'>
  /** Completes "the thread that …". */
  readonly does: string
  readonly onReady: () => void
  readonly onMessage: (message: Exclude<From, FromReader>) => unknown
  readonly onEnd: (reason: string, wasReady: boolean) => void
}

/** Starts a thread that reads the read models which this one folds (`foldedElsewhere` there). */
export const startReader = <To, From>(name: string, options: WorkerOptions, needs: Needs<From>) => {
  const { readModels, does, onReady, onMessage, onEnd } = needs
  const worker = startWorker(name, options)
  const tell = (message: To | ToReader): void => worker.postMessage(message)
  const forget = readModels.onMoved((moved) => tell({ moved }))
  let isReady = false
  let reason = `the thread that ${does} has ended`

  hear(worker, (message: Exclude<From, FromReader> | FromReader) => {
    if (message === 'hurry') return readModels.hurry()
    if (message !== 'ready') return onMessage(message)
    isReady = true
    return onReady()
  })
  worker.on('error', ({ message }) => (reason = `${reason}: ${message}`))
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      const wasReady = isReady
      isReady = false
      forget()
      onEnd(reason, wasReady)
      resolve()
    })
  })

  return {
    tell,
    isReady: (): boolean => isReady,
    /** By default it may take as long as it needs. */
    stop: async (longestMs?: number): Promise<void> => {
      tell('stop')
      const late = longestMs === undefined ? undefined : setTimeout(endWorker, longestMs, worker)
      await ended
      clearTimeout(late)
    },
  }
}
