// @module-tag long
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { noStream, start, StoreUnavailable } from '../../application/event-store.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { accessDenied, unauthenticated } from '../../audit/eventstoredb-server/messages.ts'
import type { ReadSettings } from '../../audit/eventstoredb-server/reads.ts'
import { newEvent } from './appends.ts'
import { startProtocolPlace } from './protocol-place.ts'

const timeouts = { attempt: 3_000, altogether: 10_000, election: 300, ending: 500 }

const open = async (admit?: ReadSettings['admit'], user = '') => {
  const place = await startProtocolPlace(admit && { admit })
  onTestFinished(place.remove)
  const url = place.url.replace('://', `://${user}`)
  const store = connectEventStoreDB(url, { timeouts })
  onTestFinished(() => store.close())
  return { place, store }
}

/** The state of calls in the next turn of the event loop. */
const atOnce = async (...calls: Promise<unknown>[]) => {
  const ends = calls.map(() => 'waits')
  for (const [index, call] of calls.entries())
    call.then(
      () => (ends[index] = 'answered'),
      (error: unknown) => (ends[index] = (error as Error).name),
    )
  await nextTurn()
  return ends
}

const untilTrue = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await nextTurn()
}

test('once calls have failed for longer than an election takes, others fail at once', async () => {
  const { place, store } = await open()
  await store.append('s', [newEvent()], noStream)
  await place.stop()
  const [append, read] = await Promise.allSettled([
    store.append('s', [newEvent()], 0),
    store.readStream('s'),
  ])
  expect([append.status, read.status]).toEqual(['rejected', 'rejected'])
  const calls = [store.append('s', [newEvent()], 0), store.readStream('s'), store.head()]
  expect(await atOnce(...calls)).toEqual(Array(3).fill('StoreUnavailable'))
  expect(store.canBeWritten()).toBe(false)
})

test('a server that is back is found without a call, and calls work again', async () => {
  const { place, store } = await open()
  await store.append('s', [newEvent()], noStream)
  await place.stop()
  await expect(store.append('s', [newEvent()], 0)).rejects.toThrow(StoreUnavailable)
  expect(store.canBeWritten()).toBe(false)
  await place.startAgain()
  await untilTrue(async () => store.canBeWritten())
  expect(await store.append('s', [newEvent()], 0)).toMatchObject({ revision: 1 })
  expect(await store.readStream('s')).toHaveLength(2)
})

test('a follower alone finds out that the server is away', async () => {
  const { place, store } = await open()
  const left = new AbortController()
  const outage = { failed: () => {}, worked: () => {} }
  const following = store.follow(start, left.signal, outage)[Symbol.asyncIterator]().next()
  await store.append('s', [newEvent()], noStream)
  await following
  const more = store.follow(start, left.signal)[Symbol.asyncIterator]()
  await more.next()
  const next = more.next()
  await place.stop()
  await untilTrue(async () => (await atOnce(store.readStream('s')))[0] === 'StoreUnavailable')
  left.abort()
  await next
})

test.each([
  ['', accessDenied, 'reading $all is denied: name a user in the connection string'],
  ['ann:x@', accessDenied, 'reading $all is denied to user ann: grant it read in the metadata'],
  ['a%40b:x@', unauthenticated, 'is denied to user a@b: EventStoreDB does not know it'],
])('a refusal names the stream, the user and the remedy: %s', async (user, refusal, told) => {
  const { store } = await open(async () => {
    throw refusal()
  }, user)
  await expect(store.head()).rejects.toThrow(told)
  await expect(store.head()).rejects.toThrow(StoreUnavailable)
})

test('a refused read names its stream', async () => {
  const { store } = await open(async () => {
    throw accessDenied()
  }, 'ann:x@')
  const told =
    'reading payment-1 is denied to user ann: grant it read in the metadata of the stream'
  await expect(store.readStream('payment-1')).rejects.toThrow(told)
})

test('without the right to read the log nothing is appended, until it is given back', async () => {
  let isTaken = false
  const { store } = await open(async (_, about) => {
    if (isTaken && about.includes('$all')) throw accessDenied()
    return { leave: () => {}, check: async () => {} }
  }, 'ann:x@')
  await store.append('s', [newEvent()], noStream)
  isTaken = true
  const told = 'reading $all is denied to user ann'
  await expect(store.head()).rejects.toThrow(told)
  await untilTrue(async () => !store.canBeWritten())
  expect(String(store.failure())).toContain(told)
  await expect(store.append('s', [newEvent()], 0)).rejects.toThrow(told)
  expect(await store.readStream('s')).toHaveLength(1)
  isTaken = false
  await untilTrue(async () => store.canBeWritten())
  expect(await store.append('s', [newEvent()], 0)).toMatchObject({ revision: 1 })
})

test('one stream that may not be read does not count against the store', async () => {
  const { store } = await open(async (_, about) => {
    if (about.includes('secret-1')) throw accessDenied()
    return { leave: () => {}, check: async () => {} }
  }, 'ann:x@')
  await store.append('secret-1', [newEvent()], noStream)
  await expect(store.readStream('secret-1')).rejects.toThrow('reading secret-1 is denied')
  // The right to the whole log has been asked for by then.
  await store.head()
  expect(await store.append('s', [newEvent()], noStream)).toMatchObject({ revision: 0 })
  expect(store.failure()).toBeUndefined()
})

test('what is not answered is given up soon when the service ends', async () => {
  const { store } = await open(() => new Promise(() => {}))
  const [head, stream] = [store.head(), store.readStream('s')]
  await nextTurn()
  store.beginEnding()
  const told = 'EventStoreDB has not answered, and the service ends'
  await expect(stream).rejects.toThrow(new StoreUnavailable(told))
  await expect(head).rejects.toThrow(StoreUnavailable)
  expect(await atOnce(store.readStream('s'))).toEqual(['StoreUnavailable'])
})

test('what ends with the service goes on for as long as a stop may take', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let isReady = false
  const place = await startProtocolPlace({ isReady: () => isReady })
  onTestFinished(place.remove)
  const store = connectEventStoreDB(place.url, {
    timeouts: { election: 60_000, ending: 7_000 },
  })
  onTestFinished(() => store.close())
  const before = store.readStream('before')
  await nextTurn()
  store.beginEnding()
  vi.advanceTimersByTime(4_000)
  const late = store.readStream('late')
  await nextTurn()
  isReady = true
  expect(await Promise.all([before, late])).toEqual([[], []])
  isReady = false
  vi.advanceTimersByTime(3_000)
  await expect(store.readStream('too-late')).rejects.toThrow(StoreUnavailable)
})
