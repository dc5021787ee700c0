import { expect, test } from 'vitest'
import { perKeyBackOff } from '../../application/per-key-back-off.ts'
import { StoreUnavailable } from '../../application/event-store.ts'

/** Work on names, some of which fail, and a record of outages. */
const workOn = (names: string[], broken: Set<string>) => {
  const told: string[] = []
  const work = perKeyBackOff<string>({
    keyOf: (name) => name,
    outageOf: (name) => ({
      failed: (error) => told.push(`${name}: ${String(error)}`),
      worked: () => told.push(`${name} works`),
    }),
  })
  const list = (limit: number) => names.slice(0, limit)
  return {
    ...work,
    told,
    /** Does what is due, up to a limit; returns the names. */
    look: async (at: number, limit = 10): Promise<readonly string[]> => {
      const due = work.due(at, limit, list)
      for (const name of due)
        await work.attempt(name, at, async () => {
          if (broken.has(name)) throw new Error('broken')
          names.splice(names.indexOf(name), 1)
        })
      return due
    },
  }
}

test('what fails rests twice as long after each failure, up to a minute', async () => {
  const { look, nextLook } = workOn(['a'], new Set('a'))
  expect(nextLook(null)).toBeNull()
  const rests: number[] = []
  for (let at = 0; rests.length < 9; at += rests.at(-1) ?? 0) {
    expect(await look(at)).toEqual(['a'])
    const next = nextLook(null) ?? NaN
    rests.push(next - at)
    expect(await look(next - 1)).toEqual([])
    expect([nextLook(at + 1), nextLook(next + 1)]).toEqual([at + 1, next])
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000))
})

test('what rests is tried again when the clock was put back, and not an hour later', async () => {
  const hour = 3_600_000
  const { look, nextLook } = workOn(['a'], new Set('a'))
  expect(await look(hour)).toEqual(['a'])
  expect(await look(hour)).toEqual([])
  expect(await look(500)).toEqual(['a'])
  expect(await look(500)).toEqual([])
  expect(nextLook(null)).toBe(2500)
})

test('items that back off take no place of others, which are processed', async () => {
  const { look, failing } = workOn(['a', 'b', 'c', 'd'], new Set(['a', 'b']))
  expect(await look(0, 2)).toEqual(['a', 'b'])
  expect(failing()).toEqual(['a', 'b'])
  expect(await look(0, 1)).toEqual(['c'])
  expect(await look(0, 1)).toEqual(['d'])
  expect(await look(0, 1)).toEqual([])
  expect(await look(1000, 1)).toEqual(['a'])
})

test('failures and recoveries are reported per key', async () => {
  const names = ['a', 'b', 'c']
  const broken = new Set(names)
  const { look, nextLook, told } = workOn(names, broken)
  await look(0)
  const failed = names.map((name) => `${name}: Error: broken`)
  expect(told).toEqual(failed)
  broken.delete('a')
  await look(1000)
  expect(told.slice(3)).toEqual(['a works', ...failed.slice(1)])
  names.splice(names.indexOf('b'), 1)
  await look(1001)
  expect(told.slice(6)).toEqual(['b works'])
  expect(nextLook(null)).toBe(3000)
})

test('without the store nothing works: then nobody rests, and whoever asked is told', async () => {
  const { attempt, nextLook, told } = workOn([], new Set())
  const away = new StoreUnavailable('away')
  await expect(attempt('a', 0, () => Promise.reject(away))).rejects.toBe(away)
  expect([nextLook(null), told]).toEqual([null, []])
})
