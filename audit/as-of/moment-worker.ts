import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { problemOf, type Answered } from '../../infrastructure/threads/answering-thread.ts'
import { openStoreToRead, type Place } from '../../infrastructure/stores.ts'
import { yieldToRequests } from '../../infrastructure/threads/thread-priority.ts'
import { endThread } from '../../infrastructure/worker.ts'
import { makeAndThin, type MakingRequest } from './make-moment.ts'
import { momentFiles } from './moment-files.ts'

export type MakingStart = {
  readonly place: Place
  readonly directory: string
  readonly space: number
  readonly draft: string
}

const run = async (port: MessagePort, { place, ...given }: MakingStart): Promise<void> => {
  const store = await openStoreToRead(place)
  const files = momentFiles(given.directory, given.space, given.draft)

  const make = async (request: MakingRequest): Promise<Answered<number>> => {
    try {
      return { result: await makeAndThin(store, files, request) }
    } catch (error) {
      return problemOf(error)
    }
  }

  port.on('message', (request: MakingRequest) => {
    make(request)
      .then((reply) => port.postMessage(reply))
      .catch(endThread)
  })
}

if (parentPort) {
  yieldToRequests('much')
  await run(parentPort, workerData as MakingStart)
}
