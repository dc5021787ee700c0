import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noStream, StoreUnavailable, WrongExpectedRevision } from '../application/event-store.ts'
import { openEventLog } from '../infrastructure/event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from '../infrastructure/event-store/sqlite-event-store.ts'
import type { Where } from '../infrastructure/thread.ts'
import { collect, label, newEvent, newEvents } from './event-store-appends.ts'

let folder: string
let files = 0
const freshFile = (): string => join(folder, `events-${(files += 1)}.db`)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-events-'))
})

afterAll(() => rm(folder, { recursive: true }))

const threads = ['here', 'apart'] as const

const script = join(import.meta.dirname, 'event-store-process.ts')

/** A command line that runs the rest of it with a limit on the size of files, in blocks of 512 bytes. */
const growingTo300KiB = ['sh', '-c', 'ulimit -f 600; exec "$0" "$@"']

/** Another process on the file, and what it tells line by line. */
const start = async (
  task: string,
  file: string,
  stream: string,
  count: number,
  committing: Where = 'here',
  limited: readonly string[] = [],
) => {
  const [command = '', ...rest] = [...limited, process.execPath, '--import', 'tsx', script]
  const child = spawn(command, [...rest, task, file, stream, `${count}`, committing], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'close')
  const told: string[] = []
  lines.on('line', (line) => told.push(line))
  const tells = async (enough: number): Promise<void> => {
    while (told.length < enough) await once(lines, 'line')
  }
  await tells(1)
  return { child, ended, tells, acknowledged: () => told.slice(1) }
}

describe('several processes on one file', () => {
  test('append to one stream, none loses an event and none leaves a gap', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file)
    const other = await start('contend', file, 'shared', 150)
    let expected = noStream
    const ours: string[] = []
    while (ours.length < 150) {
      const event = newEvent()
      try {
        expected = (await store.append('shared', [event], expected)).revision
        ours.push(event.id)
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision)) throw error
        expected = error.actual
      }
    }
    expect(await other.ended).toEqual([0, null])
    const log = await collect(store.readAll(0))
    const numbers = Array.from({ length: 300 }, (_, n) => n)
    expect(log.map(({ revision }) => revision)).toEqual(numbers)
    expect(log.map(({ position }) => position)).toEqual(numbers.map((n) => n + 1))
    const ids = log.map(({ id }) => id)
    expect(ids.filter((id) => ours.includes(id))).toEqual(ours)
    expect(ids.filter((id) => !ours.includes(id))).toEqual(other.acknowledged())
    await store.close()
  })

  test('follow each other', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file)
    const other = await start('answer', file, 'asked', 50)
    const isAnswer = ({ stream }: { stream: string }) => stream === 'asked-answered'
    const answers = collect(store.follow(0, new AbortController().signal), isAnswer, 50)
    for (let n = 0; n < 50; n++) await store.append('asked', [newEvent(n)], n - 1)
    expect((await answers).map(({ revision }) => revision)).toEqual(
      Array.from({ length: 50 }, (_, n) => n),
    )
    expect(await other.ended).toEqual([0, null])
    await store.close()
  })

  test.for(threads)(
    'lose nothing that was acknowledged when one is killed, writing %s',
    async (committing) => {
      const file = freshFile()
      const other = await start('append', file, 'killed', 1_000_000, committing)
      await other.tells(400)
      other.child.kill('SIGKILL')
      expect(await other.ended).toEqual([null, 'SIGKILL'])
      const store = openSqliteEventStore(file)
      const log = await collect(store.readAll(0))
      const stored = new Set(log.map(({ id }) => id))
      expect(other.acknowledged().length).toBeGreaterThanOrEqual(399)
      expect(other.acknowledged().filter((id) => !stored.has(id))).toEqual([])
      expect(log.map(({ position }) => position)).toEqual(log.map((_, n) => n + 1))
      expect(await store.append('next', [newEvent()], noStream)).toEqual({
        revision: 0,
        position: log.length + 1,
      })
      await store.close()
    },
  )
})

describe('two connections to one file', () => {
  test('see at once what the other has appended', async () => {
    const file = freshFile()
    const [one, other] = [openSqliteEventStore(file), openSqliteEventStore(file)]
    await one.append('both', newEvents(2), noStream)
    expect(await other.head()).toBe(2)
    await other.append('both', newEvents(1), 1)
    await one.append('both', newEvents(1), 2)
    await expect(other.append('both', newEvents(1), 2)).rejects.toThrow(WrongExpectedRevision)
    expect(await one.head()).toBe(4)
    await one.close()
    await other.close()
  })

  const waits = async (committing: Where): Promise<void> => {
    const file = freshFile()
    const store = openSqliteEventStore(file, 'append', committing)
    const holder = new Database(file)
    holder.exec('BEGIN IMMEDIATE')
    const patient = store.append('waits', [newEvent()], noStream)
    await store.head()
    holder.exec('COMMIT')
    expect(await patient).toEqual({ revision: 0, position: 1 })

    holder.exec('BEGIN IMMEDIATE')
    await expect(store.append('waits', [newEvent()], 0)).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'another process holds the event log',
    })
    holder.exec('COMMIT')
    expect(await store.append('waits', [newEvent()], 0)).toEqual({ revision: 1, position: 2 })
    holder.close()
    await store.close()
  }

  test('wait for each other without holding up the process, and not for ever', async () => {
    await Promise.all(threads.map(waits))
  }, 15_000)
})

describe('the file', () => {
  test.for(threads)(
    'that cannot grow refuses the appends that share a commit, and takes the next one, written %s',
    async (committing) => {
      const file = freshFile()
      const other = await start('overfill', file, 'full', 0, committing, growingTo300KiB)
      expect(await other.ended).toEqual([0, null])
      expect(other.acknowledged()).toEqual([
        'fulfilled',
        'StoreUnavailable',
        'StoreUnavailable',
        'fulfilled',
      ])
      const store = openSqliteEventStore(file)
      const log = await collect(store.readAll(0))
      expect(log.map(label)).toEqual(['full@0', 'full@1'])
      expect(log.map(({ position }) => position)).toEqual([1, 2])
      await store.close()
    },
  )

  test('of something else, or of a newer version, is left alone', () => {
    const foreign = freshFile()
    new Database(foreign).exec('CREATE TABLE things (name TEXT)').close()
    expect(() => openSqliteEventStore(foreign)).toThrow('not an event log')
    const newer = freshFile()
    void openSqliteEventStore(newer).close()
    new Database(newer).exec('PRAGMA user_version = 2').close()
    expect(() => openSqliteEventStore(newer)).toThrow('has format 2')
  })

  test('refuses to change or to lose what has happened, whoever asks', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file)
    await store.append('s', newEvents(2), noStream)
    const other = new Database(file)
    expect(() => other.exec(`UPDATE events SET data = '{}'`)).toThrow('cannot be changed')
    expect(() => other.exec('DELETE FROM events WHERE position = 2')).toThrow('cannot be deleted')
    expect(() => other.exec(`UPDATE streams SET name = 'x'`)).toThrow('cannot be changed')
    expect(() => other.exec('DELETE FROM streams')).toThrow('cannot be deleted')
    other.close()
    expect(await collect(store.readAll(0))).toHaveLength(2)
    await store.close()
  })

  test.for(threads)(
    'is closed only after the appends that wait, written %s',
    async (committing) => {
      const file = freshFile()
      const store = openSqliteEventStore(file, 'append', committing)
      const appends = Array.from({ length: 10 }, (_, n) => store.append(`s-${n}`, newEvents(3), -1))
      const closed = store.close()
      await expect(store.append('late', [newEvent()], noStream)).rejects.toThrow(StoreUnavailable)
      let answered = 0
      for (const append of appends) void append.then(() => (answered += 1))
      await closed
      expect(answered).toBe(10)
      expect((await Promise.all(appends)).at(-1)?.position).toBe(30)
      const again = openSqliteEventStore(file)
      expect(await again.head()).toBe(30)
      await again.close()
    },
  )
})

describe('the thread that writes', () => {
  test('begins no other file in place of one that is gone, and begins again when it is back', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file, 'append', 'apart')
    renameSync(file, `${file}.away`)
    await expect(store.append('gone', [newEvent()], noStream)).rejects.toThrow(StoreUnavailable)
    expect(existsSync(file)).toBe(false)
    renameSync(`${file}.away`, file)
    expect(await store.append('gone', [newEvent()], noStream)).toEqual({ revision: 0, position: 1 })
    await store.close()
  })

  test('writes text and bytes as they came, of as many rows as came', async () => {
    const log = openEventLog(freshFile(), 'append', 'apart')
    const id = randomBytes(16)
    const bytes = Buffer.from([0, 255, 128, 10])
    await log.append(
      's',
      [
        { id, type: 'Text', data: '{"a":"ø€😀"}', metadata: null },
        { id, type: 'Bytes', data: bytes, metadata: bytes },
      ],
      'any',
    )
    await log.append('s', [{ id, type: 'Last', data: '{}', metadata: '{}' }], 'exists')
    const hex = id.toString('hex')
    expect(log.all(0, 10).map((row) => row.slice(0, 7))).toEqual([
      [1, 's', 0, hex, 'Text', '{"a":"ø€😀"}', null],
      [2, 's', 1, hex, 'Bytes', bytes, bytes],
      [3, 's', 2, hex, 'Last', '{}', '{}'],
    ])
    await log.close()
  })
})
