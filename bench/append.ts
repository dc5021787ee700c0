import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { noStream, type EventStore, type NewEvent } from '../application/event-store.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'
import type { Where } from '../infrastructure/worker.ts'
import { commitInGroups, eventTables, openRawFile } from './raw-commits.ts'

const inFlight = 32
const streamsOfEach = 125

const began = Date.now()
const data = { text: 'x'.repeat(370) }
const metadata = {
  at: began,
  merchant: 'sandbox',
  actor: 'user:pos1',
  correlationId: randomUUID(),
  causationId: null,
  schema: 1,
}

/** Generated before the clock starts, like the raw rows; an id may recur in another stream. */
const ids = Array.from({ length: 65_536 }, () => randomUUID())
let idsUsed = 0

const newEvent = (): NewEvent => {
  const id = ids[idsUsed++ % ids.length] ?? ''
  return { id, type: 'Benched', data, metadata }
}

/** Runs concurrent writers, each waiting for its own append; returns events per second. */
const append = async (
  store: EventStore,
  seconds: number,
  streamsOf: (writer: number) => () => readonly [stream: string, expected: number],
): Promise<number> => {
  let count = 0
  const from = performance.now()
  const write = async (writer: number): Promise<void> => {
    const next = streamsOf(writer)
    while (performance.now() < from + seconds * 1000) {
      const [stream, expected] = next()
      await store.append(stream, [newEvent()], expected)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, writer) => write(writer)))
  return (count / (performance.now() - from)) * 1000
}

/** Streams of one writer, in random order. No other writer uses them. */
const knownStreams = (writer: number) => {
  const streams = Array.from({ length: streamsOfEach }, (_, at) => {
    return { name: `known-${writer}-${at}`, revision: noStream }
  })
  return () => {
    const stream = streams[Math.floor(Math.random() * streamsOfEach)]
    if (!stream) throw new Error('there is no such stream')
    return [stream.name, stream.revision++] as const
  }
}

const newStream = (): string => `payment-${randomBytes(16).toString('hex')}`
const newStreams = () => () => [newStream(), noStream] as const

/**
 * Commits the rows that the store would write, unique by stream and revision, but without an event
 * store: no expected revisions, no waiting for results, and all rows prepared.
 */
const commitRaw = (directory: string, name: string, seconds: number, isNew: boolean): number => {
  const database = openRawFile(join(directory, `${name}.sqlite`), eventTables)
  const nameStream = database.prepare('INSERT INTO streams (name) VALUES (?)')
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const [id, text, meta] = [randomBytes(16), JSON.stringify(data), JSON.stringify(metadata)]
  const known = inFlight * streamsOfEach
  const revisions = new Map<number, number>()
  let position = 0
  const rate = commitInGroups(database, inFlight, seconds, () => {
    const stream = isNew ? position : Math.floor(Math.random() * known)
    if (isNew) nameStream.run(newStream())
    const revision = (revisions.get(stream) ?? noStream) + 1
    if (!isNew) revisions.set(stream, revision)
    insert.run((position += 1), stream, revision, id, 'Benched', text, meta, began)
  })
  database.close()
  return rate
}

/** Commit rates inline, in a worker, and raw. */
type Beside = Readonly<Record<Where | 'raw', number>>
export type Appends = { readonly known: Beside; readonly new: Beside }

/**
 * Events of 600 bytes per second with 32 appends in flight, compared with raw commits of 32 rows.
 */
export const measureAppends = async (
  directory: string,
  round: number,
  seconds: number,
): Promise<Appends> => {
  const raw = (name: string, isNew: boolean) =>
    commitRaw(directory, `raw-${name}-${round}`, seconds, isNew)
  const store = async (
    name: string,
    committing: Where,
    streamsOf: Parameters<typeof append>[2],
  ): Promise<number> => {
    const file = join(directory, `store-${name}-${committing}-${round}.sqlite`)
    const store = openSqliteEventStore(file, 'append', committing)
    // The thread has started once it has replied.
    await store.append('begun', [newEvent()], noStream)
    const rate = await append(store, seconds, streamsOf)
    await store.close()
    return rate
  }
  return {
    known: {
      raw: raw('known', false),
      inline: await store('known', 'inline', knownStreams),
      worker: await store('known', 'worker', knownStreams),
    },
    new: {
      raw: raw('new', true),
      inline: await store('new', 'inline', newStreams),
      worker: await store('new', 'worker', newStreams),
    },
  }
}
