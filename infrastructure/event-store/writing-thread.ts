import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { StoreUnavailable } from '../../application/event-store.ts'
import { hear, startWorker } from '../worker.ts'
import type { Given, Reply, Request, Shared } from './commit-worker.ts'

/** In megabytes. Requests are short-lived. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

/** The thread that writes the log: started by this thread, or shared by the one that did. */
export type Writing = {
  readonly post: (request: Request | Shared, transfer?: readonly MessagePort[]) => void
  /** Resolves when everything is answered. */
  readonly end: () => Promise<void>
}
export type StartWriting = (
  onReply: (reply: Reply) => void,
  onEnd: () => void,
  onProblem: (problem: string) => void,
) => Writing

/** Starts a thread for the file. */
export const threadFor =
  (workerData: Given): StartWriting =>
  (onReply, onEnd, onProblem) => {
    const worker = startWorker('infrastructure/event-store/commit-worker', {
      workerData,
      resourceLimits,
    })
    hear(worker, onReply)
    // A database error arrives without its message.
    worker.on('error', ({ message }) => message && onProblem(message))
    worker.once('exit', onEnd)
    return {
      post: (request, transfer) => worker.postMessage(request, transfer),
      end: async () => {
        const exit = once(worker, 'exit')
        worker.postMessage('end' satisfies Request)
        // When it exits, every append has been answered or has failed.
        await exit
      },
    }
  }

/** A thread that another thread started, and will end. */
export const threadBehind = (port: MessagePort): StartWriting => {
  let hasEnded = false
  return (onReply, onEnd) => {
    // Messages posted to it would be lost.
    if (hasEnded) throw new StoreUnavailable('the thread that writes the event log has ended')
    port.on('message', onReply)
    port.once('close', () => {
      hasEnded = true
      onEnd()
    })
    return {
      post: (request) => port.postMessage(request),
      end: async () => {
        const closed = once(port, 'close')
        port.postMessage('end' satisfies Request)
        await closed
      },
    }
  }
}
