import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { problemOf, type ThreadProblem } from '../threads/answering-thread.ts'
import Database from '../sqlite.ts'
import { openDraftAgain } from './read-model-draft.ts'
import { makeWriter, type Write } from './rows.ts'

/** What to write in one transaction; or `end`. */
export type WritingRequest = readonly Write[] | 'end'
/** Null on success. */
export type WritingReply = ThreadProblem | null

const openWriter = (path: string) => {
  const file = openDraftAgain(path)
  const write = file.sqlite.transaction(makeWriter(file))
  return { write, close: () => file.sqlite.close() }
}

const run = (port: MessagePort, path: string): void => {
  let writer: ReturnType<typeof openWriter> | undefined
  port.on('message', (request: WritingRequest) => {
    if (request === 'end') {
      writer?.close()
      port.close()
      return
    }
    let problem: WritingReply = null
    try {
      writer ??= openWriter(path)
      writer.write(request)
    } catch (error) {
      // Any other error is a bug and ends the thread.
      if (!(error instanceof Database.SqliteError)) throw error
      problem = problemOf(error)
    }
    port.postMessage(problem)
  })
}

if (parentPort) run(parentPort, workerData as string)
