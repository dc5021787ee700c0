import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import {
  noStream,
  start,
  StoreUnavailable,
  WrongExpectedRevision,
  type EventStore,
} from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { watchStore } from '../../infrastructure/event-store/open-log.ts'
import { writeAt } from '../../infrastructure/logs/outages.ts'
import { collect, newEvent } from './appends.ts'
import { startProtocolPlace } from './protocol-place.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-watched-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Line = { readonly msg: string; readonly error?: { readonly stack: string } }

/** A log whose lines can be awaited. */
const listen = () => {
  const lines: Line[] = []
  let look = (): void => {}
  const write = (line: string): void => {
    lines.push(JSON.parse(line))
    look()
  }
  return {
    log: pino({ level: 'warn', errorKey: 'error' }, { write }),
    lines,
    told: () => lines.map(({ msg }) => msg),
    until: async (isThere: () => boolean): Promise<void> => {
      while (!isThere()) await new Promise<void>((resolve) => (look = resolve))
    },
  }
}

/** A server that is back is known to be when a probe has found it. */
const untilAnswered = async (call: () => Promise<unknown>): Promise<void> => {
  for (let isAnswered = false; !isAnswered; await nextTurn())
    isAnswered = await call().then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreUnavailable) return false
        throw error
      },
    )
}

test(
  'an outage of the server is logged with its cause and its end, however many ask',
  { tags: 'long' },
  async () => {
    const place = await startProtocolPlace()
    onTestFinished(place.remove)
    const { log, lines, told, until } = listen()
    // Long enough for a busy machine; a refused connection fails at once.
    const timeouts = { attempt: 5_000, altogether: 5_000 }
    const store = watchStore(connectEventStoreDB(place.url, { timeouts }), log)
    onTestFinished(() => store.close())
    const append = (revision: number) => store.append('s', [newEvent()], revision)
    await append(noStream)
    const following = collect(store.follow(start, new AbortController().signal), undefined, 2)

    await place.stop()
    const calls = Array.from({ length: 20 }, () => [append(0), store.head(), store.readStream('s')])
    for (const { reason } of (await Promise.allSettled(calls.flat())) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(StoreUnavailable)
    await until(() => lines.length === 3)
    const what = ['followed', 'read', 'written']
    expect(told().toSorted()).toEqual(
      what.map((what) => `the log of events cannot be ${what} just now`),
    )
    for (const { error } of lines) expect(error?.stack).toContain('UNAVAILABLE')

    await place.startAgain()
    const last = newEvent()
    await untilAnswered(() => store.append('s', [last], 0))
    await untilAnswered(store.head)
    await following
    await until(() => lines.length === 6)
    expect(told().slice(3).toSorted()).toEqual(
      what.map((what) => `the log of events can be ${what} again`),
    )
  },
)

test('a store that comes and goes is not logged each time', async () => {
  const { log, told } = listen()
  const opened = openSqliteEventStore(join(folder, 'events.sqlite'))
  let isFull = true
  let elapsed = 0
  const failing: EventStore = {
    ...opened,
    append: (...what) =>
      isFull ? Promise.reject(new StoreUnavailable('the disk is full')) : opened.append(...what),
  }
  const store = watchStore(failing, log, () => elapsed)
  let revision = noStream
  const comeAndGo = async (): Promise<void> => {
    isFull = true
    await expect(store.append('s', [newEvent()], revision)).rejects.toThrow(StoreUnavailable)
    await store.head()
    isFull = false
    await store.append('s', [newEvent()], revision)
    revision += 1
  }
  for (let n = 0; n < 50; n++) await comeAndGo()
  const [gone, back] = [
    'the log of events cannot be written just now',
    'the log of events can be written again',
  ]
  expect(told()).toEqual([gone, back])
  elapsed += 10_000
  await comeAndGo()
  expect(told()).toEqual([gone, back, gone, back])
  await store.close()
})

test('a failed append counts against the store for ten seconds, or until one works', async () => {
  const { log } = listen()
  const opened = openSqliteEventStore(join(folder, 'doubt.sqlite'))
  let isFull = true
  let elapsed = 0
  const append: EventStore['append'] = (...what) =>
    isFull ? Promise.reject(new StoreUnavailable('the disk is full')) : opened.append(...what)
  const store = watchStore({ ...opened, append }, log, () => elapsed)
  const tryOne = (expected: number) => store.append('s', [newEvent()], expected)
  expect(store.canBeWritten()).toBe(true)
  await expect(tryOne(noStream)).rejects.toThrow(StoreUnavailable)
  elapsed += 9_999
  expect(store.canBeWritten()).toBe(false)
  elapsed += 1
  expect(store.canBeWritten()).toBe(true)
  await expect(tryOne(noStream)).rejects.toThrow(StoreUnavailable)
  expect(store.canBeWritten()).toBe(false)
  isFull = false
  await tryOne(noStream)
  expect(store.canBeWritten()).toBe(true)
  await expect(tryOne(noStream)).rejects.toThrow(WrongExpectedRevision)
  expect(store.canBeWritten()).toBe(true)
  await store.close()
})

test('given a full disk, then a failed append counts until writing works', async () => {
  const { log, told } = listen()
  const opened = openSqliteEventStore(join(folder, 'full.sqlite'))
  const append: EventStore['append'] = () => Promise.reject(new StoreUnavailable('no room'))
  let [elapsed, isFull, tried] = [0, true, 0]
  const probe = async (): Promise<void> => {
    tried += 1
    if (isFull) throw new Error('there is still no room')
  }
  const store = watchStore({ ...opened, append }, log, () => elapsed, probe)
  await expect(store.append('s', [newEvent()], noStream)).rejects.toThrow(StoreUnavailable)
  /** Whether it works, before and after what was tried meanwhile. */
  const after = async (ms: number) => {
    elapsed += ms
    const before = store.canBeWritten()
    await nextTurn()
    return [before, store.canBeWritten(), tried]
  }
  expect(await after(9_999)).toEqual([false, false, 0])
  expect(await after(1)).toEqual([false, false, 1])
  expect(await after(9_999)).toEqual([false, false, 1])
  expect(await after(1)).toEqual([false, false, 2])
  isFull = false
  expect(await after(10_000)).toEqual([false, true, 3])
  expect(told().at(-1)).toBe('the log of events can be written again')
  await store.close()
})

test('writing is tried in a folder or beside a file, and leaves nothing', async () => {
  const tried = join(folder, 'tried')
  await expect(writeAt(tried)()).rejects.toThrow('ENOENT')
  mkdirSync(tried)
  const file = join(tried, 'log')
  await expect(writeAt(file)()).rejects.toThrow('ENOENT')
  writeFileSync(file, '')
  for (const path of [tried, file]) await writeAt(path)()
  expect(readdirSync(tried)).toEqual(['log'])
})
