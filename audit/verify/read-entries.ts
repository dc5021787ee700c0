import {
  start,
  type JsonObject,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { leafHash, leafOf } from '../../infrastructure/event-store/event-entry.ts'
import { uuidOf } from '../../infrastructure/event-store/event-ids.ts'
import type { Examined } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import type { OpenedStore } from '../../infrastructure/stores.ts'

/** An event of the log as stored, valid or not. */
export type Entry = Pick<RecordedEvent, 'position' | 'stream' | 'revision' | 'type'> & {
  readonly leaf: Uint8Array
  /** Undefined if its content is not JSON. */
  readonly event: RecordedEvent | undefined
  /** Why it differs from what was appended. */
  readonly problem: string | undefined
}

/** Entries per batch. */
const batchSize = 1_000

const jsonIn = (text: string | Uint8Array | null): JsonObject | undefined => {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

const entryOfRow = ({ row, problem }: Examined): Entry => {
  const [position, stream, revision, hex, type, storedData, storedMetadata, , checksum] = row
  const [data, metadata] = [jsonIn(storedData), jsonIn(storedMetadata)]
  const id = uuidOf(hex)
  const about = { stream, revision, type }
  const isSound = problem === undefined && !!checksum
  const leaf = isSound
    ? checksum
    : leafHash({ ...about, id: hex, data: storedData, metadata: storedMetadata })
  return {
    ...{ position, stream, revision, type },
    leaf: Buffer.from(leaf, 'base64'),
    event: data && metadata && { ...about, position, id, data, metadata },
    problem: problem ?? (data && metadata ? undefined : 'it is not JSON'),
  }
}

const entryOfEvent = (event: RecordedEvent): Entry => {
  const { position, stream, revision, type } = event
  const leaf = Buffer.from(leafOf(event).leaf, 'base64')
  return { position, stream, revision, type, leaf, event, problem: undefined }
}

/** All entries of the log up to a position, in batches, including those after damaged ones. */
export async function* readEntries(
  { log, readAll }: OpenedStore,
  end: Position,
): AsyncGenerator<readonly Entry[]> {
  if (!log) {
    for await (const batch of readAll(start))
      yield batch.filter(({ position }) => position <= end).map(entryOfEvent)
    return
  }
  let batch: Entry[] = []
  for (const examined of log.examined()) {
    if (examined.row[0] > end) break
    batch.push(entryOfRow(examined))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
