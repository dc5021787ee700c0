// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import {
  binaryEvent,
  EventStoreDBClient,
  jsonEvent,
  START,
  StreamDeletedError,
  TimeoutError,
  UnavailableError,
} from '@eventstore/db-client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  noStream,
  start,
  StoreUnavailable,
  type EventStore,
} from '../../application/event-store.ts'
import { keepOrder } from '../../infrastructure/event-store/eventstoredb-writer.ts'
import { within } from '../../infrastructure/event-store/eventstoredb-calls.ts'
import { watchOutages } from '../../infrastructure/event-store/eventstoredb-outage.ts'
import { withRetries } from '../../infrastructure/event-store/eventstoredb-retries.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { serveLog } from '../../audit/eventstoredb-server/serve-log.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { sharedRequest } from '../../infrastructure/event-store/shared-request.ts'
import { openStore } from '../../infrastructure/stores.ts'
import { correlating } from '../../infrastructure/event-store/open-log.ts'
import type { ProtocolSettings } from './protocol/serve.ts'
import { collect, label, newEvent, newEvents } from './appends.ts'
import { breakableWay } from './breakable-way.ts'
import { startProtocolPlace } from './protocol-place.ts'
import { builtProgram } from '../build.ts'

const impatient = { attempt: 250, altogether: 900 }
const forever = new AbortController().signal

const connected = (url: string, timeouts?: typeof impatient): EventStore => {
  const store = connectEventStoreDB(url, { timeouts })
  onTestFinished(() => store.close())
  return store
}

const startPlace = async (settings?: ProtocolSettings) => {
  const place = await startProtocolPlace(settings)
  onTestFinished(place.remove)
  return place
}

/** A stock client, for what the port does not offer. */
const stockClient = (url: string): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(url)
  onTestFinished(() => client.dispose())
  return client
}

/** A server in a separate process, so that it can be frozen. */
const startProcess = async () => {
  const script = builtProgram('event-store/protocol-server')
  const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
  const words = [script, '0', join(folder, 'events.db')]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    const ended = once(child, 'close')
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const [url] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, url: String(url) }
}

const wayTo = async (port: number) => {
  const way = await breakableWay(port)
  onTestFinished(way.close)
  return way
}

describe('the connection', () => {
  test('keeps the order of appends that are the first of a fresh client', async () => {
    const { url } = await startPlace()
    const store = connected(url)
    const appends = Array.from({ length: 300 }, (_, n) => store.append('s', [newEvent(n)], n - 1))
    expect((await Promise.all(appends)).map(({ revision }) => revision)).toEqual(
      Array.from({ length: 300 }, (_, n) => n),
    )
  })

  test.each([
    ['is told that its stream was deleted', 'go on', StreamDeletedError.fromStreamName('s')],
    ['finds nobody there', 'fail with it', new UnavailableError()],
  ])('when the append that opens it %s, those that wait %s', async (_, fate, error) => {
    const { inOrder } = keepOrder()
    const first = inOrder(() => Promise.reject(error))
    const waiting = ['second', 'third'].map((name) => inOrder(async () => name))
    await expect(first).rejects.toBe(error)
    const outcomes = await Promise.all(waiting.map((one) => one.catch((reason: unknown) => reason)))
    expect(outcomes).toEqual(fate === 'go on' ? ['second', 'third'] : [error, error])
  })

  test('of a store that closes breaks off no append of another one of the process', async () => {
    const { url } = await startPlace()
    const stays = connected(url)
    await stays.append('order-0', newEvents(1), noStream)
    for (let n = 1; n <= 10; n++) {
      const leaves = connectEventStoreDB(url)
      await leaves.append(`leaving-${n}`, newEvents(1), noStream)
      const appends = Array.from({ length: 50 }, (_, at) =>
        stays.append(`order-${n}-${at}`, newEvents(1), noStream),
      )
      await leaves.close()
      await Promise.all(appends)
    }
  })

  test('may be named by the schemes of EventStoreDB and of KurrentDB', async () => {
    const { url } = await startPlace()
    const store = connected(url.replace('esdb:', 'kurrentdb:'))
    expect(await store.head()).toBe(start)
    const { position } = await store.append('s', newEvents(2), noStream)
    expect(await store.head()).toBe(position)
    const discovering = connected('kurrentdb+discover://127.0.0.1:1?tls=false', impatient)
    await expect(discovering.head()).rejects.toThrow(StoreUnavailable)
  })

  test('to a server that is not there yet fails within bounds and works as soon as it is there', async () => {
    const place = await startPlace()
    const store = connected(place.url, impatient)
    await place.stop()
    const append = () => store.append('s', [newEvent()], noStream)
    await expect(append()).rejects.toThrow(StoreUnavailable)
    await expect(store.readStream('s')).rejects.toThrow(StoreUnavailable)
    await expect(store.head()).rejects.toThrow(StoreUnavailable)
    await place.startAgain()
    expect(await append()).toMatchObject({ revision: 0 })
    expect(await store.head()).toBe(1)
  })

  test('to a server that never answers is given up, and a repeat lands once', async () => {
    const { child, url } = await startProcess()
    const store = connected(url, impatient)
    await store.append('s', [newEvent()], noStream)
    child.kill('SIGSTOP')
    const event = newEvent()
    const answers = [store.append('s', [event], 0), store.head(), store.readStream('s')]
    const outcomes = await Promise.allSettled(answers)
    expect(outcomes).toEqual(
      Array(3).fill({ status: 'rejected', reason: expect.any(StoreUnavailable) }),
    )
    child.kill('SIGCONT')
    expect(await store.append('s', [event], 0)).toMatchObject({ revision: 1 })
    expect(await store.readStream('s')).toHaveLength(2)
  })

  test('of reads may change while appends are under way, and the old one may then be lost', async () => {
    let isReady = true
    const { port } = await startPlace({ isReady: () => isReady })
    const { open, url } = await wayTo(port)
    const store = connected(url)
    const streams = Array.from({ length: 8 }, (_, n) => `s-${n}`)
    let [appended, isOver] = [0, false]
    const appending = streams.map(async (stream) => {
      let n = 0
      for (; !isOver; n++) {
        await store.append(stream, [newEvent(n)], n - 1)
        appended += 1
      }
      return n
    })
    const more = async (count: number) => {
      const enough = appended + count
      while (appended < enough) await store.append('others', [newEvent()], others++)
    }
    let others = noStream
    await more(20)
    const old = [...open.keys()]
    isReady = false
    const head = store.head()
    await more(20)
    isReady = true
    expect(await head).toBeGreaterThan(20)
    await more(20)
    for (const socket of old) socket.destroy()
    await more(100)
    isOver = true
    const counts = await Promise.all(appending)
    const read = await Promise.all(streams.map((stream) => store.readStream(stream)))
    expect(read.map(({ length }) => length)).toEqual(counts)
  })

  test(
    'to a node that leads no more is left for another when appends are refused there, and each lands once',
    { tags: 'long' },
    async () => {
      let term = 1
      const { url } = await startPlace({ term: () => term })
      const store = connected(url)
      const streams = Array.from({ length: 16 }, (_, n) => `s-${n}`)
      let appended = 0
      await Promise.all(
        streams.map(async (stream) => {
          for (let n = 0; n < 40; n++) {
            await store.append(stream, [newEvent(n)], n - 1)
            appended += 1
            if (appended % 200 === 0) term += 1
          }
        }),
      )
      expect(term).toBe(4)
      const log = (await collect(store.readAll(start))).map(label)
      expect([log.length, new Set(log).size]).toEqual([640, 640])
    },
  )

  test('is not given up as long as parts of an answer come', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const answers: ((text: string) => void)[] = []
    const heard: (() => void)[] = []
    const call = () =>
      within(1_000, (hears) => {
        heard.push(hears)
        return new Promise<string>((answer) => answers.push(answer))
      })
    const [slow, silent] = [call(), call().catch((error: Error) => error.message)]
    for (let parts = 0; parts < 5; parts++) {
      vi.advanceTimersByTime(900)
      heard[0]?.()
    }
    answers[0]?.('all of it')
    expect(await slow).toBe('all of it')
    expect(await silent).toBe('EventStoreDB has not answered within 1000 ms')
  })

  test('whose patience ends while others wait to ask the same fails for them, too, and is asked anew by the next', async () => {
    const questions: { answer(text: string): void; fail(error: Error): void }[] = []
    const ask = sharedRequest(
      () => new Promise<string>((answer, fail) => questions.push({ answer, fail })),
    )
    const first = ask()
    await Promise.resolve()
    const waiting = [ask(), ask()]
    questions[0]?.fail(new StoreUnavailable('away'))
    const ends = await Promise.allSettled([first, ...waiting])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const next = ask()
    await Promise.resolve()
    questions[1]?.answer('here')
    expect(await next).toBe('here')
    expect(questions).toHaveLength(2)
  })

  test('whose patience ends within a try tells what went wrong before', async () => {
    const never = new Promise<never>(() => {})
    let tries = 0
    const timeouts = { attempt: 1_000, altogether: 50, election: 5_000, ending: 5_000 }
    const outages = watchOutages({ electionMs: timeouts.election, probe: async () => {} })
    onTestFinished(outages.close)
    const about = { doing: 'reading', stream: 's' } as const
    const failed = withRetries({ timeouts, outages, about }, (timeout) =>
      ++tries === 1 ? Promise.reject(new Error('refused')) : within(timeout, never),
    )
    await expect(failed).rejects.toThrow(new StoreUnavailable('reading s failed: refused'))
    expect(tries).toBeGreaterThan(1)
  })

  test('is said to be silent for whole milliseconds', async () => {
    const never = new Promise(() => {})
    await expect(within(2.6, never)).rejects.toThrow(/not answered within 3 ms$/)
  })

  test('that may only read says so when it is asked to append', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-'))
    const log = openEventLog(join(folder, 'events.db'))
    const server = await serveLog({ log, record: () => {}, host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      server.stop()
      await log.close()
      rmSync(folder, { recursive: true })
    })
    const store = connected(`esdb://127.0.0.1:${server.port}?tls=false`, impatient)
    await expect(store.append('s', [newEvent()], noStream)).rejects.toThrow(
      'appending to s is denied: name a user in the connection string that may write it',
    )
    expect(await store.readStream('s')).toEqual([])
  })

  test('survives restarts of the server under load: all lands once, a follower gets all once', async () => {
    const place = await startPlace()
    const store = connected(place.url)
    const streams = Array.from({ length: 8 }, (_, n) => `s-${n}`)
    let appended = 0
    const following = collect(store.follow(start, forever), undefined, 8 * 60)
    const restart = async () => {
      await place.stop()
      await place.startAgain()
    }
    let restarting = Promise.resolve()
    await Promise.all(
      streams.map(async (stream) => {
        for (let n = 0; n < 60; n++) {
          await store.append(stream, [newEvent(n)], n - 1)
          appended += 1
          if (appended === 100 || appended === 300) restarting = restarting.then(restart)
        }
      }),
    )
    await restarting
    const log = (await collect(store.readAll(start))).map(label)
    expect(log).toHaveLength(8 * 60)
    expect(new Set(log).size).toBe(8 * 60)
    expect((await following).map(label)).toEqual(log)
  }, 15_000)
})

describe('a follower', () => {
  test('that is slower than the writers is cut off by the server and misses nothing', async () => {
    const { url } = await startPlace({ maximumLag: 20 })
    const store = connected(url)
    await store.append('s', [newEvent()], noStream)
    const stock = stockClient(url).subscribeToAll({ fromPosition: START })
    const following = collect(store.follow(start, forever), undefined, 2_001)
    await once(stock, 'caughtUp')
    const cutOff = expect(once(stock.resume(), 'end')).rejects.toThrow(TimeoutError)
    // Each append exceeds the allowed lag of a live subscription.
    const appends = Array.from({ length: 40 }, (_, n) => store.append('s', newEvents(50), 50 * n))
    await Promise.all(appends)
    await cutOff
    expect((await following).map(({ revision }) => revision)).toEqual(
      Array.from({ length: 2_001 }, (_, n) => n),
    )
  })

  test('reaches the head although the server adds system events, which no reader gets', async () => {
    const { url } = await startPlace()
    const [store, stock] = [connected(url), stockClient(url)]
    const noise = [
      jsonEvent({ type: '$of-the-node', data: {} }),
      binaryEvent({ type: 'Bytes', data: Uint8Array.of(1, 2) }),
    ]
    await stock.appendToStream('noise', noise)
    expect(await store.head()).toBe(start)
    const { position } = await store.append('s', newEvents(2), noStream)
    for (let n = 0; n < 1_500; n += 500) {
      await stock.appendToStream(
        '$noise',
        newEvents(500).map((event) => jsonEvent({ ...event })),
      )
    }
    await stock.appendToStream('noise', noise)
    expect(await store.head()).toBe(position)
    expect(await store.head()).toBe(position)
    const all = ['s@0', 's@1']
    expect((await collect(store.readAll(start))).map(label)).toEqual(all)
    expect((await collect(store.follow(start, forever), undefined, 2)).map(label)).toEqual(all)
    const later = await store.append('s', newEvents(1), 1)
    expect(await store.head()).toBe(later.position)
    const rest = await collect(store.follow(position, forever), undefined, 1)
    expect(rest.map(label)).toEqual(['s@2'])
    expect(await store.readStream('noise')).toEqual([])
  })

  test('that is cancelled by a stopping server reports the outage, and resumes afterwards', async () => {
    const place = await startPlace()
    const store = connected(place.url)
    await store.append('s', [newEvent()], noStream)
    let tell = (_: unknown): void => {}
    const told = new Promise((resolve) => (tell = resolve))
    const outage = { failed: (error: unknown) => tell(error), worked: () => {} }
    const batches = store.follow(start, forever, outage)[Symbol.asyncIterator]()
    expect((await batches.next()).value).toHaveLength(1)
    const next = batches.next()
    await place.stop()
    expect(String(await told)).toContain('UNAVAILABLE')
    await place.startAgain()
    await store.append('s', [newEvent()], 0)
    expect((await next).value).toHaveLength(1)
  })

  test('passes by what other applications keep in the same database, and the head with it', async () => {
    const { url } = await startPlace()
    const stock = stockClient(url)
    const folder = mkdtempSync(join(tmpdir(), 'daybook-shared-'))
    const store = await openStore({ EVENT_STORE: url, DATA_DIR: folder })
    onTestFinished(async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    })
    const foreign = (n: number) => jsonEvent({ type: 'OrderPlaced', data: { n }, metadata: { n } })
    await stock.appendToStream('orders-1', [foreign(1), foreign(2)])
    expect(await store.head()).toBe(start)
    const metadata = { actor: 'daybook', at: 1, correlationId: 'c', causationId: null, schema: 1 }
    const ours = { ...newEvent(), metadata: { ...metadata, merchant: null } }
    const { position } = await correlating(store).append('s', [ours], noStream)
    await stock.appendToStream('orders-1', foreign(3))
    expect(await store.head()).toBe(position)
    const [read] = await collect(store.readAll(start))
    expect(read && label(read)).toBe('s@0')
    // For the database's projection $by_correlation_id.
    expect(read?.metadata).toEqual({ ...ours.metadata, $correlationId: 'c' })
    expect((await collect(store.follow(start, forever), undefined, 1)).map(label)).toEqual(['s@0'])
    expect(await store.readStream('orders-1')).toEqual([])
    // In one of our streams it would be hidden from auditors.
    await stock.appendToStream('payment-1', foreign(4))
    expect((await collect(store.readAll(start))).map(label)).toEqual(['s@0', 'payment-1@0'])
  })

  test('ends when the store is closed', async () => {
    const { url } = await startPlace()
    const store = connectEventStoreDB(url)
    await store.append('s', newEvents(1), noStream)
    const batches = store.follow(start, forever)[Symbol.asyncIterator]()
    expect((await batches.next()).value).toHaveLength(1)
    const next = batches.next()
    await store.close()
    expect(await next).toEqual({ done: true, value: undefined })
    await expect(store.append('s', newEvents(1), 0)).rejects.toThrow('closed')
    await expect(store.head()).rejects.toThrow('closed')
  })
})
