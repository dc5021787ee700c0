import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fail, OperatorError } from '../failures.ts'
import type { Log } from '../logs/log.ts'
import type { Settings } from '../settings.ts'
import { currentReadModels, openStoreToRead, readModelsIn, type Place } from '../stores.ts'
import { draftIn, putInUse, type Snapshot } from './snapshot.ts'
import { steadyTime } from '../../application/machine.ts'

/** How long the other node may be silent, because it copies before it sends. */
const silenceMs = 120_000

const chunkBytes = 1_048_576

/** @throws OperatorError if the other node does not deliver it */
const download = async (from: string, token: string, to: string): Promise<void> => {
  const { request } = await import('../undici.ts')
  const { statusCode, body } = await request(`${from.replace(/\/$/, '')}/read-models`, {
    headers: { Authorization: `Bearer ${token}` },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  })
  if (statusCode !== 200) return fail(`it answers ${statusCode}: ${(await body.text()).trim()}`)
  await pipeline(body, createWriteStream(to, { mode: 0o600, highWaterMark: chunkBytes }))
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
  const began = steadyTime()
  try {
    if (token === undefined) return fail('SNAPSHOT_TOKEN is not set')
    const { foldedTo } = await fetchSnapshot(settings, from, token)
    const seconds = Number(((steadyTime() - began) / 1_000).toFixed(1))
    log.info({ from, position: foldedTo.position, seconds }, 'started from a snapshot')
  } catch (error) {
    const reason = error instanceof OperatorError ? error.message : error
    log.warn({ from, reason }, 'no snapshot is available there: the log is folded instead')
  }
}
