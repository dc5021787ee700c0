import { single, type Samples } from './measures.ts'

/** A map that evicts entries not used recently. */
type GenerationalCache<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** Limits the total weight of the entries. */
type WeightLimit<Value> = {
  readonly weightOf: (value: Value) => number
  readonly weight: number
}

/** Number of payments whose states and rows are cached. */
export const cachedPayments = 10_000

/** Limits of the state cache: a number of streams, and fewer if they are large. */
export type CacheLimits = {
  readonly streams: number
  /** Estimated. */
  readonly bytes: number
}

/** Ten thousand usual payments, or about thirty large ones. */
export const defaultCacheLimits: CacheLimits = { streams: cachedPayments, bytes: 33_554_432 }

/**
 * Keeps at least the `count` most recently used entries, fewer if they are heavy. It has two
 * generations and drops the older one as a whole, so an access costs one or two look-ups and no
 * ordering.
 */
export const generationalCache = <Key, Value>(
  count: number,
  weightLimit?: WeightLimit<Value>,
): GenerationalCache<Key, Value> => {
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()
  let weight = 0

  const isFull = (): boolean =>
    young.size >= count || (weightLimit !== undefined && weight >= weightLimit.weight)

  const weightOfValue = (value: Value | undefined): number =>
    weightLimit === undefined || value === undefined ? 0 : weightLimit.weightOf(value)

  const set = (key: Key, value: Value): void => {
    if (isFull() && !young.has(key)) {
      old = young
      young = new Map()
      weight = 0
    }
    if (weightLimit) weight += weightOfValue(value) - weightOfValue(young.get(key))
    young.set(key, value)
  }

  return {
    set,
    get: (key) => {
      const known = young.get(key)
      if (known !== undefined) return known
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    delete: (key) => {
      weight -= weightOfValue(young.get(key))
      young.delete(key)
      old.delete(key)
    },
    clear: () => {
      young.clear()
      old.clear()
      weight = 0
    },
  }
}

/** Finds a value and caches it, unless it is undefined. */
export const cached = <Value>(
  cache: GenerationalCache<string, Value>,
  name: string,
  find: () => Value,
): Value => {
  const known = cache.get(name)
  if (known !== undefined) return known
  const found = find()
  if (found !== undefined) cache.set(name, found)
  return found
}

const lookups = {
  states: { hit: 0, miss: 0 },
  secrets: { hit: 0, miss: 0 },
  public_keys: { hit: 0, miss: 0 },
  fees: { hit: 0, miss: 0 },
}

/** The same cache, whose lookups in this thread are counted under a name. */
export const counted = <Key, Value>(
  name: keyof typeof lookups,
  cache: GenerationalCache<Key, Value>,
): GenerationalCache<Key, Value> => {
  const counts = lookups[name]
  return {
    ...cache,
    get: (key) => {
      const found = cache.get(key)
      if (found === undefined) counts.miss += 1
      else counts.hit += 1
      return found
    },
  }
}

export const cacheLookups = (): Samples =>
  Object.entries(lookups).flatMap(([cache, { hit, miss }]) => [
    ...single(hit, { cache, result: 'hit' }),
    ...single(miss, { cache, result: 'miss' }),
  ])

/** Limits a cache by the estimated size of its values. */
export const sizedCache = <Key, Value extends { readonly size: number }>({
  streams,
  bytes,
}: CacheLimits): GenerationalCache<Key, Value> =>
  generationalCache(streams, { weightOf: ({ size }) => size, weight: bytes })
