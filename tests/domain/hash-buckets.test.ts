import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bucketOf,
  emptyBuckets,
  withBucket,
  type HashBuckets,
} from '../../domain/merchant/scans.ts'

const added = (buckets: HashBuckets<string>, name: string) =>
  withBucket(buckets, name, (bucket) => [...bucket, name])

const removed = (buckets: HashBuckets<string>, name: string) =>
  withBucket(buckets, name, (bucket) => bucket.filter((other) => other !== name))

test('given items that come and go, then those that are left are found by their names', () => {
  const name = fc.string({ maxLength: 2 })
  fc.assert(
    fc.property(fc.array(fc.record({ name, stays: fc.boolean() })), (steps) => {
      let buckets: HashBuckets<string> = emptyBuckets
      const left = new Set<string>()
      for (const { name, stays } of steps) {
        buckets = removed(buckets, name)
        left.delete(name)
        if (!stays) continue
        buckets = added(buckets, name)
        left.add(name)
      }
      expect(buckets.flat().sort()).toEqual([...left].sort())
      for (const { name } of steps)
        expect(bucketOf(buckets, name).includes(name)).toBe(left.has(name))
    }),
  )
})

test('given many items, when one is added, all buckets but one are shared, none is large', () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `request-${n}`)
  const before = names.reduce<HashBuckets<string>>(added, emptyBuckets)
  const after = added(before, 'one more')
  expect(after.filter((bucket) => !before.includes(bucket))).toHaveLength(1)
  expect(before.flat()).toHaveLength(names.length)
  for (const bucket of after) expect(bucket.length).toBeLessThan(200)
})
