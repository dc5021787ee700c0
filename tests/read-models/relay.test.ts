// @module-tag long
import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import {
  noStream,
  start,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '../../application/event-store.ts'
import { openSqliteEventStore } from '../../infrastructure/event-store/sqlite-event-store.ts'
import { receiveAhead, makeRelay, relayTo } from '../../infrastructure/read-models/relay.ts'
import { clockAdvanced } from '../event-store/appends.ts'

/** One thread receives the log and relays it; the other follows alone while necessary. */

const folder = mkdtempSync(join(tmpdir(), 'daybook-relay-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** Runs turns of the event loop until something holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await nextTurn()
}

let logs = 0

const openLog = () => {
  const store = openSqliteEventStore(join(folder, `${++logs}.sqlite`))
  let revision = noStream
  let head = start
  return {
    store,
    append: async (): Promise<void> => {
      const appended = await store.append('one', [clockAdvanced(1)], revision)
      ;({ revision, position: head } = appended)
    },
    head: (): Position => head,
  }
}

/** A follower, and the number of its own subscriptions. */
const followThrough = (
  relay: ReturnType<typeof makeRelay>,
  store: Pick<EventStore, 'follow'>,
  from: Position,
) => {
  const stopped = new AbortController()
  const seen: Position[] = []
  let own = 0
  const counted: Pick<EventStore, 'follow'> = {
    follow: async function* (...about) {
      own += 1
      try {
        yield* store.follow(...about)
      } finally {
        own -= 1
      }
    },
  }
  const following = (async () => {
    for await (const events of relay.over(counted).follow(from, stopped.signal))
      seen.push(...events.map(({ position }) => position))
  })()
  const stop = async (): Promise<void> => {
    stopped.abort()
    await following
  }
  return { seen, own: () => own, stop }
}

/** Receives the log for both, from a position on, until its connection breaks. */
const receiveFor = (
  relay: ReturnType<typeof makeRelay>,
  store: Pick<EventStore, 'follow'>,
  after: Position,
  from: Position,
) => {
  const broken = new AbortController()
  let place = after
  const connected: Pick<EventStore, 'follow'> = {
    follow: async function* (position, signal, outage) {
      outage?.worked()
      yield* store.follow(position, AbortSignal.any([signal, broken.signal]))
      outage?.failed(new Error('the connection is lost'))
    },
  }
  const received = receiveAhead(connected, relayTo(relay.note, from))
  const folding = (async () => {
    for await (const events of received.follow(after, broken.signal))
      place = events.at(-1)?.position ?? place
  })()
  return {
    place: () => place,
    breakOff: async (): Promise<void> => {
      broken.abort()
      await folding
    },
  }
}

const acts = fc.array(fc.constantFrom('append', 'append', 'append', 'turn', 'connect', 'break'), {
  maxLength: 40,
})

test('given a relay that comes and goes, each event is handed out once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.integer({ min: 0, max: 3 }), async (steps, before) => {
      const { store, append, head } = openLog()
      for (let n = 0; n < before; n++) await append()
      const from = head()
      const relay = makeRelay()
      const follower = followThrough(relay, store, from)
      let receiver: ReturnType<typeof receiveFor> | undefined
      let place = start
      const breakOff = async (): Promise<void> => {
        await receiver?.breakOff()
        place = receiver?.place() ?? place
        receiver = undefined
      }
      for (const step of steps)
        if (step === 'append') await append()
        else if (step === 'turn') await nextTurn()
        else if (step === 'break') await breakOff()
        else receiver ??= receiveFor(relay, store, place, from)
      await until(() => (follower.seen.at(-1) ?? from) === head())
      await breakOff()
      await follower.stop()
      await store.close()
      const all = Array.from({ length: head() - from }, (_, index) => from + index + 1)
      expect(follower.seen).toEqual(all)
    }),
    { numRuns: 40 },
  )
})

test('given a relay that caught up, no other subscription is open until it is lost', async () => {
  const { store, append, head } = openLog()
  await append()
  const relay = makeRelay()
  const follower = followThrough(relay, store, head())
  await append()
  await until(() => follower.seen.length === 1)
  expect(follower.own()).toBe(1)
  const receiver = receiveFor(relay, store, start, 1)
  await until(() => follower.own() === 0)
  await append()
  await until(() => follower.seen.length === 2)
  expect(follower.own()).toBe(0)
  await receiver.breakOff()
  await until(() => follower.own() === 1)
  await append()
  await until(() => follower.seen.length === 3)
  expect(follower.seen).toEqual([2, 3, 4])
  await follower.stop()
  await store.close()
})

test('given a busy reader, events are announced at once and read together later', async () => {
  const { store, append } = openLog()
  const told: RecordedEvent[] = []
  const stopped = new AbortController()
  const received = receiveAhead(store, {
    worked: () => {},
    failed: () => {},
    received: (events) => told.push(...events),
  })
  await append()
  const reading = received.follow(start, stopped.signal)[Symbol.asyncIterator]()
  expect((await reading.next()).value).toHaveLength(1)
  for (let n = 0; n < 5; n++) await append()
  await until(() => told.length === 6)
  expect((await reading.next()).value).toHaveLength(5)
  stopped.abort()
  expect(await reading.next()).toMatchObject({ done: true })
  await store.close()
})

test('given a log that has ended, then its follower is notified and stops reading', async () => {
  let asked = 0
  const ended: Pick<EventStore, 'follow'> = {
    follow: async function* () {
      asked += 1
      if (asked > 10) throw new Error('it is asked again and again')
    },
  }
  const { signal } = new AbortController()
  const following = makeRelay().over(ended).follow(start, signal)[Symbol.asyncIterator]()
  await expect(following.next()).rejects.toThrow('the log has ended')
  expect(asked).toBe(1)
})
