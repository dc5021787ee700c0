import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { openDraftAgain } from './read-model-file.ts'
import { makeWriter, type Write } from './rows.ts'

/** What this thread is told: what to write in one transaction, or that this was all. */
export type Told = readonly Write[] | 'end'
/** What it tells of each transaction: how it failed, or nothing. */
export type Tells = { readonly message: string; readonly code: string } | null

const problemOf = (error: unknown): Tells => {
  const { message, code = '' } = error as Error & { readonly code?: string }
  return { message, code }
}

const run = (port: MessagePort, path: string): void => {
  const { sqlite, ...file } = openDraftAgain(path)
  const write = sqlite.transaction(makeWriter({ sqlite, ...file }))
  port.on('message', (told: Told) => {
    if (told === 'end') {
      sqlite.close()
      port.close()
      return
    }
    let problem: Tells = null
    try {
      write(told)
    } catch (error) {
      problem = problemOf(error)
    }
    port.postMessage(problem)
  })
}

if (parentPort) run(parentPort, workerData as string)
