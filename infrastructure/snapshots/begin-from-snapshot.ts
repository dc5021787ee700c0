import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { fail, OperatorError } from '../failures.ts'
import type { Log } from '../logs/log.ts'
import type { Settings } from '../settings.ts'
import { currentReadModels, openStoreToRead, readModelsIn, type Place } from '../stores.ts'
import { draftIn, putInUse, type Snapshot } from './snapshot.ts'

/** How long the other node may be silent, because it copies before it sends. */
const silenceMs = 120_000

const chunkBytes = 1_048_576

/** @throws OperatorError if the other node does not deliver it */
const download = async (from: string, token: string, to: string): Promise<void> => {
  const get = from.startsWith('https:') ? getSecure : getPlain
  const headers = { Authorization: `Bearer ${token}` }
  const asked = get(`${from.replace(/\/$/, '')}/read-models`, { headers, timeout: silenceMs })
  asked.on('timeout', () => asked.destroy(new Error('it does not answer')))
  const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
  if (incoming.statusCode !== 200) {
    const text = Buffer.concat(await incoming.toArray()).toString()
    return fail(`it answers ${incoming.statusCode}: ${text.trim()}`)
  }
  await pipeline(incoming, createWriteStream(to, { mode: 0o600, highWaterMark: chunkBytes }))
}

const fetchSnapshot = async (place: Place, from: string, token: string): Promise<Snapshot> => {
  const directory = readModelsIn(place)
  const draft = draftIn(directory)
  await download(from, token, draft)
  const store = await openStoreToRead(place)
  try {
    return await putInUse(draft, directory, store)
  } finally {
    await store.close()
  }
}

/**
 * Copies the read models of another node to a node without any. On failure, they are folded from
 * the log.
 */
export const beginFromSnapshot = async (settings: Settings, log: Log): Promise<void> => {
  const { SNAPSHOT_FROM: from, SNAPSHOT_TOKEN: token } = settings
  if (from === undefined || currentReadModels(settings) !== undefined) return
  const began = performance.now()
  try {
    if (token === undefined) return fail('SNAPSHOT_TOKEN is not set')
    const { foldedTo } = await fetchSnapshot(settings, from, token)
    const seconds = Number(((performance.now() - began) / 1_000).toFixed(1))
    log.info({ from, position: foldedTo.position, seconds }, 'started from a snapshot')
  } catch (error) {
    const reason = error instanceof OperatorError ? error.message : error
    log.warn({ from, reason }, 'no snapshot is available there: the log is folded instead')
  }
}
