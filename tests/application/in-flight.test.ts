import { expect, test } from 'vitest'
import { countInFlight } from '../../service/server/http-exchanges.ts'

const answered = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

test('a request is alone until a concurrent one arrives, and again a while later', async () => {
  let now = 0
  const { counted, isAlone } = countInFlight(() => now)
  const answers: (() => void)[] = []
  const fetch = counted(() => new Promise<void>((answer) => answers.push(answer)))
  expect(isAlone()).toBe(false)
  void fetch()
  expect(isAlone()).toBe(true)
  void fetch()
  expect(isAlone()).toBe(false)
  answers.pop()?.()
  await answered()
  now = 100
  expect(isAlone()).toBe(false)
  now = 101
  expect(isAlone()).toBe(true)
  answers.pop()?.()
  await answered()
  expect(isAlone()).toBe(false)
})

test('a request that fails, or is answered at once, is in flight no longer', async () => {
  const { counted, isAlone } = countInFlight()
  expect(counted(() => isAlone())()).toBe(true)
  await expect(counted(() => Promise.reject(new Error('no')))()).rejects.toThrow('no')
  await answered()
  expect(isAlone()).toBe(false)
})
