/** Items named by a text, in buckets: to add to many, or to take one away, copies one bucket and not all of them. */
export type HashBuckets<Item> = readonly (readonly Item[])[]

/** A power of two. */
const count = 128

export const emptyBuckets: HashBuckets<never> = Array.from({ length: count }, () => [])

const indexOf = (name: string): number => {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (31 * hash + name.charCodeAt(at)) | 0
  return hash & (count - 1)
}

/** Those among which the item of a name is, if there is one. */
export const bucketOf = <Item>(buckets: HashBuckets<Item>, name: string): readonly Item[] =>
  buckets[indexOf(name)] ?? []

/** The same but for the bucket of a name. */
export const withBucket = <Item>(
  buckets: HashBuckets<Item>,
  name: string,
  change: (bucket: readonly Item[]) => readonly Item[],
): HashBuckets<Item> => buckets.with(indexOf(name), change(bucketOf(buckets, name)))
