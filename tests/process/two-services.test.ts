import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accept,
  capture,
  newFolder,
  outcomeOf,
  requestPayment,
  startShop,
  type TestShop,
} from './service-process.ts'

const folder = newFolder()
let shops: readonly [TestShop, TestShop]

beforeAll(async () => {
  const first = await startShop({ DATA_DIR: folder })
  shops = [first, await startShop({ DATA_DIR: folder })]
})

afterAll(async () => {
  for (const { service } of shops) await service.end()
  rmSync(folder, { recursive: true })
})

test('what one of two services on one log has acknowledged, the other shows at once, however much both write', async () => {
  const shown: { readonly captures: number; readonly expected: number }[] = []
  const payments = Array.from({ length: 100 }, (_, n) => n)
  const captures = [1, 2, 3, 4]
  const follow = async (n: number): Promise<void> => {
    const [one, other] = n % 2 === 0 ? shops : [shops[1], shops[0]]
    const tid = await requestPayment(one.till)
    expect((await accept(other.world, tid)).status).toBe(204)
    for (const expected of captures) {
      const [writer, reader] = (n + expected) % 3 === 0 ? [other, one] : [one, other]
      expect((await capture(writer.till, tid, `c-${expected}`)).status).toBe(204)
      const outcome = await outcomeOf(reader.till, tid)
      shown.push({ captures: outcome.captures.length, expected })
    }
  }
  await Promise.all(payments.map(follow))
  expect(shown).toHaveLength(payments.length * captures.length)
  expect(shown.filter(({ captures, expected }) => captures !== expected)).toEqual([])
})
