import { expect, test } from 'vitest'
import { threadShare } from '../../application/thread-share.ts'
import { queueByKey } from '../../application/queue-by-key.ts'

const share = 0.25

const settled = async (): Promise<void> => {
  for (let tick = 0; tick < 5; tick += 1) await Promise.resolve()
}

/** Turns on a loop and a clock of our own: work takes as long as it says. */
const started = ({ isBusy = false, maxWaiting = 1_000 } = {}) => {
  let now = 0
  const turns: (() => Promise<void>)[] = []
  const timers: { readonly at: number; readonly work: () => void }[] = []
  const begun: string[] = []
  let refused = 0
  const inTurn = threadShare({
    share,
    maxWaiting,
    isOtherWork: () => isBusy,
    refuseMore: () => {
      refused += 1
      throw new Error('too much')
    },
    elapsed: () => now,
    inOneTurn: (steps, step) => {
      turns.push(async () => {
        for (let count = 0; count < steps; count += 1) {
          // What is settled is worked off before each step, as before an immediate.
          await settled()
          step()
        }
        await settled()
      })
    },
    after: (ms, work) => void timers.push({ at: now + ms, work }),
  })
  const ask = async (path: readonly string[], ms: number): Promise<void> => {
    await inTurn(path)
    begun.push(path.at(-1) ?? '')
    now += ms
  }
  /** One turn of the loop; what is due by the clock comes first. */
  const loop = async (): Promise<void> => {
    const due = timers.findIndex(({ at }) => at <= now)
    if (due >= 0) timers.splice(due, 1)[0]?.work()
    await turns.shift()?.()
  }
  const loopUntil = async (count: number): Promise<void> => {
    for (let idle = 0; begun.length < count && idle < 10_000; idle += 1) {
      await loop()
      if (turns.length === 0 && timers.every(({ at }) => at > now)) now += 1
    }
  }
  return { ask, begun, loop, loopUntil, elapsed: () => now, refused: () => refused }
}

test('turns go by network, whatever the number of requests of each', async () => {
  const { ask, begun, loopUntil } = started()
  for (let count = 0; count < 100; count += 1) void ask(['a/48', 'a/56', 'a/64'], 1)
  void ask(['b/48', 'b/56', 'b/64'], 1)
  await loopUntil(3)
  expect(begun.slice(0, 3)).toEqual(['a/64', 'b/64', 'a/64'])
})

test('somebody with all networks of a /48 has the turns of one', async () => {
  const { ask, begun, loopUntil } = started()
  for (let count = 0; count < 100; count += 1) void ask(['a/48', `a/56 ${count >> 4}`, 'a'], 1)
  for (let count = 0; count < 10; count += 1) void ask(['b/48', 'b/56', 'b'], 1)
  await loopUntil(20)
  expect(begun.filter((one) => one === 'b')).toHaveLength(10)
})

test('who has used more of the time waits for those who have used less', async () => {
  const { ask, begun, loopUntil } = started()
  void ask(['a'], 50)
  await loopUntil(1)
  for (let count = 0; count < 3; count += 1) void ask(['a'], 50)
  for (let count = 0; count < 10; count += 1) void ask(['b'], 1)
  await loopUntil(14)
  // Of the three the first begins at once, for nobody waits.
  expect(begun).toEqual(['a', 'a', ...Array.from({ length: 10 }, () => 'b'), 'a', 'a'])
})

test('a turn of the loop ends when two milliseconds are used', async () => {
  const { ask, begun, loop } = started()
  for (let count = 0; count < 100; count += 1) void ask(['a'], 0.5)
  await loop()
  expect(begun).toHaveLength(1)
  await loop()
  expect(begun).toHaveLength(5)
})

test('beside other work all of this has a quarter of the time, alone it has all', async () => {
  const beside = started({ isBusy: true })
  for (let count = 0; count < 100; count += 1) void beside.ask([`${count}`], 3)
  await beside.loopUntil(100)
  expect(beside.elapsed()).toBeGreaterThanOrEqual(99 * 3 * 4)
  const alone = started()
  for (let count = 0; count < 100; count += 1) void alone.ask([`${count}`], 3)
  await alone.loopUntil(100)
  expect(alone.elapsed()).toBeLessThan(310)
})

test('too many are refused, and of one network before others', async () => {
  const { ask, refused } = started({ maxWaiting: 100 })
  const asked = Array.from({ length: 100 }, () => ask(['a/24', 'a'], 1).catch(() => {}))
  expect(refused()).toBeGreaterThan(25)
  const before = refused()
  void ask(['b/24', 'b'], 1)
  expect(refused()).toBe(before)
  void asked
})

test('a /48 that fills the queue leaves room for others', () => {
  const queue = queueByKey<number>({ maxWaiting: 1_000 })
  let taken = 0
  for (let count = 0; count < 10_000; count += 1)
    if (queue.add(['all', 'a/48', `a/56 ${count >> 8}`, `a/64 ${count}`], count)) taken += 1
  expect(taken).toBe(500)
  expect(queue.add(['all', 'b/48', 'b/56', 'b/64'], 0)).toBe(true)
  expect(queue.take()?.path).toEqual(['all', 'a/48', 'a/56 0', 'a/64 0'])
  expect(queue.take()?.path[1]).toBe('b/48')
})
