// @module-tag long
import { EventStoreDBClient, jsonEvent, type ResolvedEvent } from '@eventstore/db-client'
import { expect, onTestFinished, test } from 'vitest'
import { noStream, start, type RecordedEvent } from '../../application/event-store.ts'
import { placeAfter } from '../../infrastructure/event-store/eventstoredb-subscription.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import type { ReadSettings } from '../../audit/eventstoredb-server/reads.ts'
import { collect, label, newEvent } from './appends.ts'
import { startProtocolPlace } from './protocol-place.ts'

/** A read or subscription, as the server received it. */
type Asked = {
  readonly about: string
  /** Undefined for a subscription. */
  readonly count: number | undefined
  readonly pattern: string
}

const isOurs = ({ stream }: RecordedEvent) => stream.startsWith('ours-')

/** A store shared with another application, and a record of requests to its server. */
const openShared = async () => {
  const asked: Asked[] = []
  let look = (): void => {}
  const admit: NonNullable<ReadSettings['admit']> = async (call, about) => {
    const options = call.request.getOptions()
    const count = options?.hasSubscription() ? undefined : Number(options?.getCount())
    const pattern = options?.getFilter()?.getStreamIdentifier()?.getRegex() ?? ''
    asked.push({ about, count, pattern })
    look()
    return { leave: () => {}, check: async () => {} }
  }
  const place = await startProtocolPlace({ admit })
  onTestFinished(place.remove)
  const store = connectEventStoreDB(place.url, { isOurs })
  onTestFinished(() => store.close())
  const client = EventStoreDBClient.connectionString(place.url)
  onTestFinished(() => client.dispose())
  const foreign = (stream: string, count: number) =>
    client.appendToStream(
      stream,
      Array.from({ length: count }, (_, n) => jsonEvent({ type: 'Foreign', data: { n } })),
    )
  return {
    ...{ store, foreign, asked },
    countsOf: async (call: () => Promise<unknown>) => {
      const before = asked.length
      await call()
      return asked.slice(before).map(({ count }) => count)
    },
    until: async (isThere: (one: Asked) => boolean): Promise<void> => {
      while (!asked.some(isThere)) await new Promise<void>((resolve) => (look = resolve))
    },
  }
}

test('the head is one small read although links stand behind each event of ours', async () => {
  const { store, foreign, countsOf } = await openShared()
  const looks: unknown[] = []
  for (let n = 0; n < 10; n++) {
    const { position } = await store.append('ours-1', [newEvent(n)], n - 1)
    await foreign('$ce-ours', 1)
    await foreign('$et-Happened', 2)
    looks.push(await countsOf(async () => expect(await store.head()).toBe(position)))
  }
  expect(looks.slice(1)).toEqual(Array.from({ length: 9 }, () => [expect.any(Number)]))
  for (const [count] of looks.slice(1) as number[][]) expect(count).toBeLessThanOrEqual(8)
})

test('a look reads more the further it must, and stops at what is known', async () => {
  const { store, foreign, countsOf } = await openShared()
  const { position } = await store.append('ours-1', [newEvent()], noStream)
  await foreign('orders-1', 300)
  const head = async () => expect(await store.head()).toBe(position)
  expect(await countsOf(head)).toEqual([1, 8, 64, 512])
  expect(await countsOf(head)).toEqual([32])
  await foreign('orders-1', 3)
  expect(await countsOf(head)).toEqual([16])
  expect(await countsOf(head)).toEqual([8])
})

test('a follower lets the server pass over streams of others, and knows how far', async () => {
  const { store, foreign, countsOf, until, asked } = await openShared()
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const { position } = await store.append('ours-1', [newEvent(0)], noStream)
  const following = collect(store.follow(start, left.signal), undefined, 2)
  await foreign('orders.v2-1', 150)
  await until(({ pattern }) => pattern.includes('orders'))
  const { pattern } = asked.findLast((one) => one.pattern.includes('orders')) as Asked
  expect('orders.v2-7').not.toMatch(new RegExp(pattern))
  for (const own of ['ours-1', 'orders_v2-1', 'lease-1', 'orders.v2x-1'])
    expect(own).toMatch(new RegExp(pattern))
  expect('$ce-ours').not.toMatch(new RegExp(pattern))
  await foreign('orders.v2-1', 2_000)
  await foreign('ours.not', 1)
  const counts = await countsOf(async () => expect(await store.head()).toBe(position))
  expect(Math.max(...(counts as number[]))).toBeLessThanOrEqual(64)
  await store.append('ours-1', [newEvent(1)], 0)
  expect((await following).map(label)).toEqual(['ours-1@0', 'ours-1@1'])
})

test('the server filters a long read, which hands out all of ours', async () => {
  const { store, foreign, asked } = await openShared()
  await store.append('ours-1', [newEvent(0)], noStream)
  for (let n = 0; n < 3; n++) await foreign('orders-1', 1_000)
  await store.append('ours-1', [newEvent(1), newEvent(2)], 0)
  await foreign('orders-1', 10)
  asked.length = 0
  const read = await collect(store.readAll(start))
  expect(read.map(label)).toEqual(['ours-1@0', 'ours-1@1', 'ours-1@2'])
  const reads = asked.filter(({ about }) => about === '$all')
  const page = reads.findIndex(({ count }) => count === 1_001)
  const filtered = reads.slice(page + 1)
  expect(filtered.map(({ count }) => count)).toEqual([undefined])
  expect(filtered[0]?.pattern).toContain('orders')
})

test('a subscription resumes after an event, or after the second-last checkpoint', () => {
  const place = placeAfter(7)
  const event = (commit: bigint) =>
    ({ event: { position: { commit, prepare: commit } } }) as ResolvedEvent
  const steps = [
    { events: [], looked: 40 },
    { events: [], looked: 72 },
    { events: [event(72n)], looked: undefined },
    { events: [event(90n)], looked: 104 },
    { events: [], looked: 136 },
  ]
  const places = steps.map((arrived) => {
    place.move(arrived)
    return place.at()
  })
  expect(places).toEqual([7, 40, 72, 90, 104])
})
