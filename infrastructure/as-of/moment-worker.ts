import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { DamagedEvent } from '../../application/event-store.ts'
import { openStoreToRead, type Place } from '../stores.ts'
import Database from '../sqlite.ts'
import { makeAndThin, type MakingRequest } from './make-moment.ts'
import { momentFiles } from './moment-files.ts'

export type MakingStart = {
  readonly place: Place
  readonly directory: string
  readonly space: number
  readonly draft: string
}

export type MakingReply =
  | { readonly events: number }
  | {
      readonly problem: string
      /** Of an error of SQLite. */
      readonly code?: string
      readonly damaged?: DamagedEvent['event']
    }

/** Errors lose their class between threads. */
const problemOf = (error: unknown): MakingReply => {
  const problem = error instanceof Error ? error.message : String(error)
  if (error instanceof Database.SqliteError) return { problem, code: error.code }
  return error instanceof DamagedEvent
    ? { problem: error.problem, damaged: error.event }
    : { problem }
}

const run = async (port: MessagePort, { place, ...given }: MakingStart): Promise<void> => {
  const store = await openStoreToRead(place)
  const files = momentFiles(given.directory, given.space, given.draft)

  const make = async (request: MakingRequest): Promise<MakingReply> => {
    try {
      return { events: await makeAndThin(store, files, request) }
    } catch (error) {
      return problemOf(error)
    }
  }

  port.on('message', (request: MakingRequest) => {
    void make(request).then((reply) => port.postMessage(reply))
  })
}

// Requests come first. Only on Linux does this set the priority of this thread alone.
if (parentPort && process.platform === 'linux')
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))

if (parentPort) await run(parentPort, workerData as MakingStart)
