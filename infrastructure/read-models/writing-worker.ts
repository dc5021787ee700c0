import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import Database from '../sqlite.ts'
import { openDraftAgain } from './read-model-draft.ts'
import { makeWriter, type Write } from './rows.ts'

/** What this thread is told: what to write in one transaction, or that this was all. */
export type Told = readonly Write[] | 'end'
/** What it tells of each transaction: how it failed, or nothing. */
export type Tells = { readonly message: string; readonly code: string } | null

/** What the database says would lose its words on the way as an error; anything else is a bug, and ends the thread. */
const problemOf = (error: unknown): Tells => {
  if (!(error instanceof Database.SqliteError)) throw error
  const { message, code } = error
  return { message, code }
}

const openWriter = (path: string) => {
  const file = openDraftAgain(path)
  const write = file.sqlite.transaction(makeWriter(file))
  return { write, close: () => file.sqlite.close() }
}

const run = (port: MessagePort, path: string): void => {
  let writer: ReturnType<typeof openWriter> | undefined
  port.on('message', (told: Told) => {
    if (told === 'end') {
      writer?.close()
      port.close()
      return
    }
    let problem: Tells = null
    try {
      writer ??= openWriter(path)
      writer.write(told)
    } catch (error) {
      problem = problemOf(error)
    }
    port.postMessage(problem)
  })
}

if (parentPort) run(parentPort, workerData as string)
