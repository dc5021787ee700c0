import { existsSync } from 'node:fs'
import type { Position } from '../../application/event-store.ts'
import { bytesOf, uuidOf } from '../../infrastructure/event-store/event-ids.ts'
import { UnusableLog } from '../../infrastructure/event-store/sqlite-event-file.ts'
import type { EventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import type { Examined } from '../../infrastructure/event-store/sqlite-event-rows.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { fail } from '../../infrastructure/failures.ts'
import { logFileIn, openStoreToRead } from '../../infrastructure/stores.ts'
import { leafOfCopy, runsOf, type CopiedEvent, type Source, type Target } from './copied-event.ts'
import { makeFolder } from '../../infrastructure/open-files.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'

const batchSize = 1_000

/** Maximum events and characters per append. */
const [mostEvents, mostBytes] = [1_000, 1_048_576]

const copyOf = ({ row, problem }: Examined): CopiedEvent => {
  const [position, stream, revision, hex, type, data, metadata, recordedAt, checksum] = row
  const place = `event ${position}, revision ${revision} of ${stream},`
  if (problem !== undefined) fail(`${place} is damaged: ${problem}`)
  if (typeof data !== 'string' || typeof metadata !== 'string')
    return fail(`${place} is not JSON: the service did not write it, and cannot copy it`)
  const event = { position, stream, revision, type, data, metadata, recordedAt, id: uuidOf(hex) }
  return { ...event, leaf: checksum || leafOfCopy(event) }
}

async function* eventsIn(log: EventLog, after: Position): AsyncGenerator<CopiedEvent[]> {
  let batch: CopiedEvent[] = []
  for (const examined of log.examined(after)) {
    batch.push(copyOf(examined))
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

const rowOf = ({ id, type, data, metadata, recordedAt }: CopiedEvent) => ({
  ...{ type, data, metadata, recordedAt },
  id: bytesOf(id) ?? fail(`${id} is not an event id`),
})

const appendTo = async (log: EventLog, events: readonly CopiedEvent[]): Promise<void> => {
  const appends = runsOf(events, mostEvents, mostBytes).map((run) => {
    const [{ stream, revision }] = run as [CopiedEvent]
    return log.append(stream, run.map(rowOf), revision - 1)
  })
  for (const ended of await Promise.allSettled(appends))
    if (ended.status === 'rejected') throw ended.reason
}

/** Adds the name of the folder to its errors. */
const inFolder = async <Answer>(shown: string, open: () => Promise<Answer> | Answer) => {
  try {
    return await open()
  } catch (error) {
    if (error instanceof UnusableLog) return fail(`${shown}: ${error.message}`)
    const reason = reasonOf(error)
    if (reason !== undefined) return fail(`${shown}: ${reason}`)
    throw error
  }
}

const shownAs = (folder: string): string => `sqlite:${folder}`

const reading = (folder: string, log: EventLog, close: () => Promise<void>): Source => ({
  shown: shownAs(folder),
  head: async () => log.head(),
  events: (after) => eventsIn(log, after),
  close,
})

/** @throws OperatorError if there is no log */
export const embeddedSource = (folder: string): Promise<Source> =>
  inFolder(shownAs(folder), async () => {
    const { log, close } = await openStoreToRead({ EVENT_STORE: 'sqlite', DATA_DIR: folder })
    return log ? reading(folder, log, close) : fail(`${folder} contains no log`)
  })

/** The log in a folder, which may already contain the vault and the keys. */
export const embeddedTarget = (folder: string): Promise<Target> =>
  inFolder(shownAs(folder), () => {
    const file = logFileIn({ DATA_DIR: folder })
    if (!existsSync(folder)) makeFolder(folder, 0o700)
    const { log, close } = openSqliteEventStore(file)
    return { ...reading(folder, log, close), append: (events) => appendTo(log, events) }
  })
