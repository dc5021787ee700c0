import { expect, test } from 'vitest'
import { joinReads } from '../../infrastructure/event-store/eventstoredb-reads.ts'

const openReads = (atOnce?: number) => {
  const read = joinReads<string>(atOnce)
  const put: { readonly key: string; answer(text: string): void; fail(error: Error): void }[] = []
  const ask = (key: string) =>
    read(key, () => new Promise((answer, fail) => put.push({ key, answer, fail })))
  /** Waits until all possible requests are sent. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { ask, put, settled, keys: () => put.map(({ key }) => key).join(' ') }
}

test('reads of one thing share the next read, and never the one under way', async () => {
  const { ask, put, settled, keys } = openReads()
  const first = [ask('a'), ask('a'), ask('b')]
  await settled()
  expect(keys()).toBe('a b')
  const later = [ask('a'), ask('a'), ask('a')]
  await settled()
  expect(keys()).toBe('a b')
  put[0]?.answer('old')
  await settled()
  expect(keys()).toBe('a b a')
  put[2]?.answer('new')
  put[1]?.answer('b')
  expect(await Promise.all(first)).toEqual(['old', 'old', 'b'])
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new'])
})

test('so many reads are under way at once, and a failed one leaves its place', async () => {
  const { ask, put, settled, keys } = openReads(2)
  const all = ['a', 'b', 'c', 'd'].map((key) => ask(key).catch((error: Error) => error.message))
  await settled()
  expect(keys()).toBe('a b')
  put[0]?.fail(new Error('away'))
  await settled()
  expect(keys()).toBe('a b c')
  for (const one of put) one.answer(one.key)
  await settled()
  put[3]?.answer('d')
  expect(await Promise.all(all)).toEqual(['away', 'b', 'c', 'd'])
  const again = ask('a')
  await settled()
  put[4]?.answer('back')
  expect(await again).toBe('back')
})
