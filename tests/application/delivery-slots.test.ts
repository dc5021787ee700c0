import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uniqueQueue } from '../../application/queue-by-key.ts'
import { makeDeliverySlots, type Slot } from '../../application/delivery-slots.ts'
import type { DeliveryLane } from '../../domain/callback.ts'

const laneOf = (merchant: string | null, host: string | number): DeliveryLane => ({
  merchant,
  destination: `http://${host}`,
})

const told = ({ merchant, destination }: DeliveryLane): string => `${merchant} ${destination}`

/** Takes slots until there are none left. */
const takeAll = (turns: ReturnType<typeof makeDeliverySlots>): Slot[] => {
  const slots: Slot[] = []
  for (let slot = turns.take(); slot; slot = turns.take()) slots.push(slot)
  return slots
}

const hosts = (count: number): number[] => Array.from({ length: count }, (_, host) => host)

test('what waits comes out in order, each once, also what comes when nothing was left', () => {
  const waiting = uniqueQueue<string | null>()
  for (const one of ['a', null, 'a', 'b']) waiting.add(one)
  expect([waiting.size(), waiting.take(), waiting.take()]).toEqual([3, 'a', null])
  waiting.add('a')
  expect([waiting.take(), waiting.take(), waiting.take()]).toEqual(['b', 'a', undefined])
  waiting.add('c')
  expect([waiting.size(), waiting.take(), waiting.size()]).toEqual([1, 'c', 0])
})

test('merchants take turns, and so do the destinations of each', () => {
  const turns = makeDeliverySlots()
  for (const host of ['a', 'b', 'c']) turns.add(laneOf('shop', host))
  for (const host of ['d', 'e']) turns.add(laneOf(null, host))
  turns.add(laneOf('shop', 'a'))
  expect(takeAll(turns).map(told)).toEqual([
    'shop http://a',
    'null http://d',
    'shop http://b',
    'null http://e',
    'shop http://c',
  ])
})

test('a merchant gets a share of the slots, and the others get theirs', () => {
  const turns = makeDeliverySlots()
  for (const host of hosts(100)) turns.add(laneOf('shop', host))
  const held = takeAll(turns)
  expect(held).toHaveLength(64)
  turns.add(laneOf('other', 'other'))
  expect(takeAll(turns).map(told)).toEqual(['other http://other'])
  turns.leave(held[0]!)
  expect(takeAll(turns).map(told)).toEqual(['shop http://64'])
})

test('where as many are under way to a destination as may be, its merchants take turns', () => {
  const turns = makeDeliverySlots()
  const held = hosts(16).map(() => {
    turns.add(laneOf('shop', 'slow'))
    return turns.take()!
  })
  for (const merchant of ['shop', 'other', 'third']) turns.add(laneOf(merchant, 'slow'))
  turns.add(laneOf('third', 'quick'))
  expect(takeAll(turns).map(told)).toEqual(['third http://quick'])
  for (const merchant of ['shop', 'other', 'third']) {
    turns.leave(held.pop()!)
    expect(takeAll(turns).map(told)).toEqual([`${merchant} http://slow`])
  }
})

test('a destination that was quick waits for no slow one, until it is slow itself', () => {
  const turns = makeDeliverySlots()
  turns.recordTime('http://good', 20)
  for (const host of hosts(100)) turns.add(laneOf('shop', host))
  takeAll(turns)
  const good = laneOf('shop', 'good')
  turns.add(good)
  expect(takeAll(turns).map(told)).toEqual(['shop http://good'])
  turns.recordTime('http://good', 10_000)
  turns.add(good)
  expect(takeAll(turns)).toEqual([])
})

test('new messages and others take turns, however many there are of either', () => {
  const turns = makeDeliverySlots()
  for (const host of hosts(100)) turns.add(laneOf('shop', host))
  const held = takeAll(turns)
  turns.add(laneOf('shop', 'new'), true)
  for (const slot of held.slice(0, 2)) turns.leave(slot)
  expect(takeAll(turns).map(told)).toContain('shop http://new')
})

test('which destinations were quick is remembered of so many; the first is forgotten', () => {
  const turns = makeDeliverySlots()
  for (const host of hosts(10_001)) turns.recordTime(`http://${host}`, 20)
  for (const host of hosts(100)) turns.add(laneOf('shop', `slow-${host}`))
  takeAll(turns)
  for (const host of [0, 1]) turns.add(laneOf('shop', host))
  expect(takeAll(turns).map(told)).toEqual(['shop http://1'])
})

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ merchant: fc.nat(7), host: fc.nat(40), isNews: fc.boolean() }),
    },
    fc.record({ leave: fc.nat(), took: fc.constantFrom(5, 5000) }),
  ),
  { minLength: 100, maxLength: 2000 },
)

test('under any load no limit is exceeded, and everybody gets a turn eventually', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const turns = makeDeliverySlots()
      const waiting = new Set<string>()
      const held: Slot[] = []
      const most = (of: (slot: Slot) => unknown, among = held): number => {
        const counts = new Map<unknown, number>()
        for (const slot of among) counts.set(of(slot), (counts.get(of(slot)) ?? 0) + 1)
        return Math.max(0, ...counts.values())
      }
      const takeNext = () => {
        for (const slot of takeAll(turns)) {
          held.push(slot)
          waiting.delete(told(slot))
        }
        expect(most(({ pool }) => pool)).toBeLessThanOrEqual(256)
        expect(most(({ destination }) => destination)).toBeLessThanOrEqual(16)
        for (const pool of new Set(held.map((slot) => slot.pool))) {
          const ofPool = held.filter((slot) => slot.pool === pool)
          expect(most(({ merchant }) => merchant, ofPool)).toBeLessThanOrEqual(64)
        }
      }
      const leave = (which: number, took: number): void => {
        const [slot] = held.splice(which % held.length, 1)
        turns.recordTime(slot!.destination, took)
        turns.leave(slot!)
      }
      for (const step of all) {
        if ('leave' in step) {
          if (held.length > 0) leave(step.leave, step.took)
        } else {
          const lane = laneOf(`m${step.merchant}`, step.host)
          turns.add(lane, step.isNews)
          waiting.add(told(lane))
        }
        takeNext()
      }
      while (held.length > 0) {
        leave(0, 5)
        takeNext()
      }
      expect([...waiting]).toEqual([])
    }),
    { numRuns: 50 },
  )
})
