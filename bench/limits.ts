import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { noStream, type EventStore, type NewEvent } from '../application/event-store.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'
import type { Where } from '../infrastructure/worker.ts'
import { commitInGroups, eventTables, openRawFile } from './raw-file.ts'
import type { Figure, Scenario, Scope } from './scope.ts'

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

const measureAppends = async (
  { folder, seconds }: Scope,
  isNew: boolean,
  committing: Where,
): Promise<Figure> => {
  const directory = folder()
  const limit = commitRaw(directory, 'raw', seconds, isNew)
  const store = openSqliteEventStore(join(directory, 'store.sqlite'), 'append', committing)
  // The thread has started once it has replied.
  await store.append('begun', [newEvent()], noStream)
  const value = await append(store, seconds, isNew ? newStreams : knownStreams)
  await store.close()
  const streams = isNew ? 'new streams' : 'streams that exist'
  const where = committing === 'worker' ? ', by a thread of its own as in the service' : ''
  const what = `append, 32 in flight, ${streams}${where}`
  return { what, value, unit: 'events/s', limit, target: ['ratio', '≥', 0.75] }
}

export const cases: Scenario = {
  appends: {
    about: 'Events of 600 bytes appended to a store, beside raw commits of 32 rows',
    usual: { rounds: 5, seconds: 2, size: 600 },
    quick: { rounds: 1, seconds: 0.5, size: 600 },
    isOfThisCheckout: true,
    open: async (shared) => {
      // Not counted, because the code is still being compiled.
      await measureAppends(shared, false, 'inline')
      return async (scope) => {
        const figures = []
        for (const committing of ['inline', 'worker'] as const)
          for (const isNew of [false, true])
            figures.push(await measureAppends(scope, isNew, committing))
        return figures
      }
    },
  },
}
