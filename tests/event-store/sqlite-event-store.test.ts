import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { openToWrite, writers, type Writer } from './open-to-write.ts'
import { commitInWorker } from '../../infrastructure/event-store/commit-client.ts'
import {
  openEventFile,
  announceThrottled,
  paceFrom,
} from '../../infrastructure/event-store/sqlite-event-file.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import Database from '../../infrastructure/sqlite.ts'
import { collect, label, newEvent, newEvents } from './appends.ts'
import { builtProgram } from '../build.ts'

let folder: string

let files = 0

const freshFile = (): string => join(folder, `events-${(files += 1)}.db`)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-events-'))
})

afterAll(() => rm(folder, { recursive: true }))

const program = builtProgram('event-store/process')

/** A command line that runs its arguments with a file size limit, in blocks of 512 bytes. */
const growingTo300KiB = ['sh', '-c', 'ulimit -f 600; exec "$0" "$@"']

/** Another process on the file, with its output line by line. */
const start = async (
  task: string,
  file: string,
  stream: string,
  count: number,
  committing: Writer = 'inline',
  limited: readonly string[] = [],
) => {
  const [command = '', ...rest] = [...limited, process.execPath, program]
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

describe('large events', () => {
  const largeEvent = () => ({ ...newEvent(), data: { text: 'x'.repeat(1_000_000) } })

  test('are read and followed a few at a time, each of them once', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file)
    const positions = Array.from({ length: 20 }, (_, index) => index + 1)
    for (const position of positions) await store.append(`s-${position}`, [largeEvent()], noStream)
    const after = openSqliteEventStore(file)
    for (const batches of [store.readAll(0), after.follow(0, AbortSignal.timeout(60_000))]) {
      const seen: Position[][] = []
      for await (const batch of batches) {
        seen.push(batch.map(({ position }) => position))
        if (seen.flat().length === positions.length) break
      }
      expect(seen.flat()).toEqual(positions)
      expect(Math.max(...seen.map((batch) => batch.length))).toBeLessThan(10)
    }
    await after.close()
    await store.close()
  })
})

describe('several processes on one file', () => {
  test.for(writers)(
    'append to one stream, none loses an event and none leaves a gap, writing %s',
    async (committing) => {
      const file = freshFile()
      const store = openToWrite(file, committing)
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
    },
  )

  test.for(writers)('follow each other, writing %s', async (committing) => {
    const file = freshFile()
    const store = openToWrite(file, committing)
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

  test.for(writers)(
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

  const waits = async (committing: Writer): Promise<void> => {
    const file = freshFile()
    const store = openToWrite(file, committing)
    // The writer thread has started once it has replied.
    await store.append('begun', [newEvent()], noStream)
    const holder = new Database(file)
    holder.exec('BEGIN IMMEDIATE')
    const patient = store.append('waits', [newEvent()], noStream)
    for (let turn = 0; turn < 200; turn++) expect(await store.head()).toBe(1)
    holder.exec('COMMIT')
    expect(await patient).toEqual({ revision: 0, position: 2 })

    holder.exec('BEGIN IMMEDIATE')
    await expect(store.append('waits', [newEvent()], 0)).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'another process holds the event log',
    })
    holder.exec('COMMIT')
    expect(await store.append('waits', [newEvent()], 0)).toEqual({ revision: 1, position: 3 })
    holder.close()
    await store.close()
  }

  test(
    'wait for each other without holding up the process, and not for ever',
    { tags: 'long', timeout: 15_000 },
    async () => {
      await Promise.all(writers.map(waits))
    },
  )
})

describe('an append', () => {
  test.for(writers)(
    'is heard of by who made it before those who follow, writing %s',
    async (committing) => {
      const store = openToWrite(freshFile(), committing)
      const heard: string[] = []
      const followed = (async () => {
        for await (const _ of store.follow(0, new AbortController().signal))
          if (heard.push('followed') === 20) return
      })()
      // Who follows has read to the end: what is appended meanwhile could be read there first.
      await store.append('before', [newEvent()], noStream)
      while (heard.length === 0) await nextTurn()
      heard.length = 0
      for (let n = 0; n < 10; n++) {
        let told: Promise<unknown> = store.append(`s-${n}`, [newEvent()], noStream)
        // Callers behind others are notified later.
        for (let between = 0; between < 10; between++) told = told.then((appended) => appended)
        await told.then(() => heard.push('told'))
        while (heard.length < 2 * (n + 1)) await nextTurn()
      }
      await followed
      expect(heard).toEqual(Array.from({ length: 10 }, () => ['told', 'followed']).flat())
      await store.close()
    },
  )
})

describe('the file', () => {
  test.for(writers)(
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
    new Database(newer).exec('PRAGMA user_version = 3').close()
    expect(() => openSqliteEventStore(newer)).toThrow('has format 3')
  })

  test('that this user may only read is not opened for appends', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file)
    await store.append('s', newEvents(1), noStream)
    await store.close()
    const opening = new URL(
      '../../infrastructure/event-store/sqlite-event-file.ts',
      import.meta.url,
    )
    const program = `
      import { openEventFile } from '${opening.href}'
      // Root can write everything.
      if (process.getuid() === 0) process.setuid(65534)
      openEventFile(process.argv[1], 'read').close()
      try {
        openEventFile(process.argv[1])
      } catch ({ message }) {
        process.stdout.write(message)
      }`
    const problem = async (): Promise<string> => {
      const words = ['--import', 'tsx', '--input-type=module', `--eval=${program}`, file]
      return (await promisify(execFile)(process.execPath, words)).stdout
    }
    await chmod(folder, 0o777)
    await chmod(file, 0o444)
    expect(await problem()).toBe(`${file} cannot be written: permission is denied`)
    // Files left over from reading reflect the state at that time.
    await chmod(file, 0o666)
    expect(await problem()).toBe(`${file}-shm cannot be written: permission is denied`)
  })

  test('refuses to change or delete events, over another connection, too', async () => {
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

  test.for(writers)(
    'goes on after a failure, and keeps nobody out meanwhile, writing %s',
    async (committing) => {
      const file = freshFile()
      const store = openToWrite(file, committing)
      await store.append('a', [newEvent()], noStream)
      const other = new Database(file)
      other.exec('ALTER TABLE events RENAME TO mislaid')
      await expect(store.append('a', [newEvent()], 0)).rejects.toThrow('no such table')
      other.exec('ALTER TABLE mislaid RENAME TO events')
      other.close()
      expect(await store.append('a', [newEvent()], 0)).toMatchObject({ revision: 1 })
      await store.close()
    },
  )

  test.for(writers)(
    'takes nothing while its file is not where it was, and goes on when it is back, writing %s',
    async (committing) => {
      const file = freshFile()
      const store = openToWrite(file, committing)
      await store.append('a', [newEvent()], noStream)
      const append = () => store.append('a', [newEvent()], 0)
      for (const part of ['', '-wal', '-shm']) {
        await rename(file + part, `${file}${part}.away`)
        await expect(append()).rejects.toThrow('removed')
        await copyFile(`${file}${part}.away`, file + part)
        await expect(append()).rejects.toThrow('replaced')
        await rename(`${file}${part}.away`, file + part)
      }
      expect(await append()).toMatchObject({ revision: 1 })
      await store.close()
    },
  )

  test('lets others go before appends that are wanted soon, and takes these together', async () => {
    const file = freshFile()
    const store = openToWrite(file, 'worker')
    const append = (stream: string, urgency?: 'soon') =>
      store.append(stream, [newEvent()], noStream, urgency)
    const soon = ['a', 'b'].map((stream) => append(stream, 'soon'))
    const now = await Promise.all(['c', 'd'].map((stream) => append(stream)))
    const positions = [...now, ...(await Promise.all(soon))].map(({ position }) => position)
    expect(positions).toEqual([1, 2, 3, 4])
    await store.close()
  })

  test('keeps appends that are wanted soon when it is closed before', async () => {
    const file = freshFile()
    const store = openToWrite(file, 'worker')
    const soon = store.append('a', [newEvent()], noStream, 'soon')
    await store.close()
    expect(await soon).toEqual({ revision: 0, position: 1 })
    expect(await collect(openSqliteEventStore(file, 'read').readAll(0))).toHaveLength(1)
  })

  test.for(writers)(
    'is closed only after the appends that wait, written %s',
    async (committing) => {
      for (const count of [10, 40]) {
        const file = freshFile()
        const store = openToWrite(file, committing)
        const answered: number[] = []
        for (let n = 0; n < count; n++)
          void store
            .append(`s-${n}`, newEvents(3), -1)
            .then(({ position }) => answered.push(position))
        const closed = store.close()
        await expect(store.append('late', [newEvent()], noStream)).rejects.toThrow(StoreUnavailable)
        await closed
        expect(answered).toEqual(Array.from({ length: count }, (_, n) => 3 * n + 3))
        const again = openSqliteEventStore(file)
        expect(await again.head()).toBe(3 * count)
        await again.close()
      }
    },
  )
})

describe('the head of a log that a thread of its own writes', () => {
  const opened = async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file, 'append', 'worker')
    const other = openSqliteEventStore(file)
    onTestFinished(async () => {
      await store.close()
      await other.close()
    })
    /**
     * Appends without letting this thread process the reply; resolves when the event is in the
     * file.
     */
    const committed = async (stream: string) => {
      const before = other.log.head()
      const appending = store.append(stream, [newEvent()], noStream)
      await nextTurn()
      const until = performance.now() + 5_000
      while (other.log.head() === before)
        if (performance.now() > until) throw new Error('nothing was committed in time')
      return { appending }
    }
    /**
     * Polls until the head is this position: the thread may not have recorded the commit yet.
     * Polling processes no reply of it.
     */
    const headNoted = async (position: number) => {
      const until = performance.now() + 5_000
      while ((await store.head()) !== position && performance.now() < until);
      return store.head()
    }
    return { store, other, committed, headNoted }
  }

  test('is the end of the last acknowledged append, because no other can be known', async () => {
    const { store, committed, headNoted } = await opened()
    await store.append('one', [newEvent()], noStream)
    const { appending } = await committed('two')
    expect(await headNoted(1)).toBe(1)
    expect(await appending).toEqual({ revision: 0, position: 2 })
    expect(await store.head()).toBe(2)
  })

  test('is as far as followers can see: the appending caller is notified first', async () => {
    const { store, committed, headNoted } = await opened()
    await store.append('one', [newEvent()], noStream)
    const following = store.follow(1, new AbortController().signal)[Symbol.asyncIterator]()
    const { appending } = await committed('two')
    expect(await headNoted(1)).toBe(1)
    const heard: string[] = []
    const told = appending.then(() => heard.push('told'))
    const followed = following.next().then(({ value }) => heard.push(value[0]?.stream))
    await Promise.all([told, followed])
    expect(heard).toEqual(['told', 'two'])
  })

  test('is the end of the file while others may have written unobserved events', async () => {
    const { store, other, committed, headNoted } = await opened()
    expect(await store.head()).toBe(0)
    await other.append('theirs', [newEvent()], noStream)
    expect(await store.head()).toBe(1)
    const { appending } = await committed('one')
    expect(await store.head()).toBe(2)
    await appending
    await other.append('theirs', [newEvent()], 0)
    expect(await store.head()).toBe(3)
    const { appending: second } = await committed('two')
    await second
    const { appending: last } = await committed('three')
    expect(await headNoted(4)).toBe(4)
    await last
    expect(await store.head()).toBe(5)
  })
})

test('a follower that keeps pace sees whole events once told, and no further', async () => {
  const pace = paceFrom(0)
  const store = openSqliteEventStore(freshFile(), 'append', 'inline', undefined, { pace })
  onTestFinished(() => store.close())
  const events = newEvents(5)
  await store.append('one', events, noStream)
  const stopped = new AbortController()
  const seen: RecordedEvent[] = []
  const following = (async () => {
    for await (const batch of store.follow(1, stopped.signal)) seen.push(...batch)
  })()
  await nextTurn()
  expect(seen).toEqual([])
  pace.to(3)
  await vi.waitUntil(() => seen.length === 2)
  pace.to(4)
  await vi.waitUntil(() => seen.length === 3)
  stopped.abort()
  await following
  const whole = seen.map(({ stream, revision, position, id, type, data, metadata }) => {
    return { stream, revision, position, id, type, data, metadata }
  })
  const [, ...later] = await store.readStream('one', 0, 4)
  expect(whole).toEqual(later.map(({ leaf: _, ...event }) => event))
})

test('consecutive commits are announced to other threads every 20 ms', () => {
  const told: number[] = []
  let now = 0
  const tell = announceThrottled(
    () => told.push(now),
    () => now,
  )
  for (; now < 100; now += 3) tell()
  now = 1_000
  tell()
  expect(told).toEqual([0, 21, 42, 63, 84, 1_000])
})

describe('the thread that writes', () => {
  const row = () => ({ id: randomBytes(16), type: 'Happened', data: '{}', metadata: null })

  test('makes no file where there is none, says so to all who wait, and begins when there is one', async () => {
    const file = freshFile()
    const ends: Position[] = []
    const commits = commitInWorker(file, (end) => ends.push(end))
    const early = Array.from({ length: 40 }, (_, n) => commits.append(`s-${n}`, [row()], noStream))
    const problem = { name: 'StoreUnavailable', message: `${file}: unable to open database file` }
    await Promise.all(early.map((append) => expect(append).rejects.toMatchObject(problem)))
    expect(existsSync(file)).toBe(false)
    openEventFile(file).close()
    expect(await commits.append('s-0', [row()], noStream)).toEqual({ revision: 0, position: 1 })
    expect(ends).toEqual([1])
    await commits.finish()
  })

  test('that cannot start does not block closing', async () => {
    const file = freshFile()
    const commits = commitInWorker(file, () => {})
    const append = commits.append('s', [row()], noStream)
    await Promise.all([commits.finish(), expect(append).rejects.toThrow('unable to open')])
  })

  test('does not keep what others write from those who follow, when it has only repeats to write', async () => {
    const file = freshFile()
    const store = openSqliteEventStore(file, 'append', 'worker')
    const other = openSqliteEventStore(file)
    const repeated = newEvent()
    await store.append('ours', [repeated], noStream)
    const isTheirs = ({ stream }: { stream: string }) => stream === 'theirs'
    let isSeen = false
    const seeing = collect(store.follow(1, new AbortController().signal), isTheirs, 1).then(
      () => (isSeen = true),
    )
    await other.append('theirs', [newEvent()], noStream)
    while (!isSeen) await store.append('ours', [repeated], noStream)
    await seeing
    await other.close()
    await store.close()
  })

  test('returns as many events of a stream as requested, though others lie between them', async () => {
    const store = openSqliteEventStore(freshFile())
    const bytes = { id: randomBytes(16), type: 'Bytes', data: Buffer.of(1), metadata: null }
    const row = () => ({ ...bytes, id: randomBytes(16) })
    for (let n = 0; n < 10; n++) {
      await store.log.append('s', [row(), row(), row()], 'any')
      await store.append('s', [newEvent(n)], 4 * n + 2)
    }
    const revisions = async (from: number, limit: number) =>
      (await store.readStream('s', from, limit)).map(({ revision }) => revision)
    expect(await revisions(0, 1)).toEqual([3])
    expect(await revisions(4, 3)).toEqual([7, 11, 15])
    expect(await revisions(30, 9)).toEqual([31, 35, 39])
    await store.close()
  })

  test('writes text and bytes as they came, of as many rows as came', async () => {
    const log = openEventLog(freshFile(), 'append', 'worker')
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
