/** Items hashed by name into buckets, so that adding or removing one copies a single bucket. */
export type HashBuckets<Item> = readonly (readonly Item[])[]

/** Must be a power of two. */
const bucketCount = 128

export const emptyBuckets: HashBuckets<never> = Array.from({ length: bucketCount }, () => [])

const indexOf = (name: string): number => {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (31 * hash + name.charCodeAt(at)) | 0
  return hash & (bucketCount - 1)
}

/** The bucket that would hold the item. */
export const bucketOf = <Item>(buckets: HashBuckets<Item>, name: string): readonly Item[] =>
  buckets[indexOf(name)] ?? []

export const withBucket = <Item>(
  buckets: HashBuckets<Item>,
  name: string,
  change: (bucket: readonly Item[]) => readonly Item[],
): HashBuckets<Item> => buckets.with(indexOf(name), change(bucketOf(buckets, name)))
