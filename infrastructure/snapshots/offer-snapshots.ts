import { createHash, timingSafeEqual } from 'node:crypto'
import { createReadStream, rmSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../logs/log.ts'
import { jobThread } from '../threads/job-thread.ts'
import type { begin } from './snapshot-job.ts'
import { draftIn } from './snapshot.ts'

/** Larger than the default: the file is read once, sequentially. */
const chunkBytes = 1_048_576

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Serves `/read-models` at the operator's address: a snapshot, for callers with the token. */
export const offerSnapshots = (readModels: string, token: string, log: Log) => {
  const expected = digestOf(`Bearer ${token}`)
  // In a worker thread, because this one must not wait.
  const copying = { idleMs: 0 }
  const { ask } = jobThread<typeof begin>('infrastructure/snapshots/snapshot-job', copying)
  let isBusy = false

  const send = async (outgoing: ServerResponse): Promise<void> => {
    const file = draftIn(dirname(readModels))
    try {
      const { foldedTo } = await ask({ readModels, to: file })
      const { size } = statSync(file)
      const type = 'application/vnd.sqlite3'
      outgoing.writeHead(200, { 'Content-Type': type, 'Content-Length': size })
      await pipeline(createReadStream(file, { highWaterMark: chunkBytes }), outgoing)
      log.info({ bytes: size, position: foldedTo.position }, 'another node took a snapshot')
    } finally {
      rmSync(file, { force: true })
    }
  }

  return async ({ headers }: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const refuse = (status: number, text: string): void =>
      void outgoing.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`)
    const presented = digestOf(headers.authorization ?? '')
    if (!timingSafeEqual(presented, expected)) {
      log.warn('a snapshot was requested with a wrong token')
      return refuse(401, 'Send the SNAPSHOT_TOKEN of this node as a Bearer token.')
    }
    if (isBusy) return refuse(503, 'Another snapshot is in progress: try again.')
    isBusy = true
    try {
      await send(outgoing)
    } catch (error) {
      log.error({ error }, 'a snapshot could not be sent')
      if (outgoing.headersSent) outgoing.destroy()
      else refuse(500, 'The snapshot could not be taken: the log of this node says why.')
    } finally {
      isBusy = false
    }
  }
}
