/** A map that forgets what has not been used lately. */
export type GenerationalCache<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** A limit for entries of different sizes: their weights together. */
type Weighing<Value> = {
  readonly weightOf: (value: Value) => number
  readonly weight: number
}

/** Payments whose states, and the rows folded from their events, are remembered at least; others are read again. */
export const cachedPayments = 10_000

/** How many folded streams are remembered at least: so many, or fewer when they are large. */
export type CacheLimits = {
  readonly streams: number
  /** Roughly. */
  readonly bytes: number
}

/** CacheLimits for ten thousand usual payments, or some thirty large ones. */
export const defaultCacheLimits: CacheLimits = { streams: cachedPayments, bytes: 33_554_432 }

/**
 * Remembers the `count` entries used last, or fewer once they reach the weight, and up to as many used before them. It
 * keeps two generations and no order of use: a use costs one or two look-ups, and the older generation goes as a whole.
 */
export const generationalCache = <Key, Value>(
  count: number,
  weighing?: Weighing<Value>,
): GenerationalCache<Key, Value> => {
  let lately = new Map<Key, Value>()
  let before = new Map<Key, Value>()
  let weight = 0

  const isFull = (): boolean =>
    lately.size >= count || (weighing !== undefined && weight >= weighing.weight)

  const weigh = (value: Value | undefined): number =>
    weighing === undefined || value === undefined ? 0 : weighing.weightOf(value)

  const set = (key: Key, value: Value): void => {
    if (isFull() && !lately.has(key)) {
      before = lately
      lately = new Map()
      weight = 0
    }
    if (weighing) weight += weigh(value) - weigh(lately.get(key))
    lately.set(key, value)
  }

  return {
    set,
    get: (key) => {
      const known = lately.get(key)
      if (known !== undefined) return known
      const older = before.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    delete: (key) => {
      weight -= weigh(lately.get(key))
      lately.delete(key)
      before.delete(key)
    },
    clear: () => {
      lately.clear()
      before.clear()
      weight = 0
    },
  }
}

/** What is remembered under a name, or is found and remembered from then on; nothing found is not remembered. */
export const cached = <Value>(
  memory: GenerationalCache<string, Value>,
  name: string,
  find: () => Value,
): Value => {
  const known = memory.get(name)
  if (known !== undefined) return known
  const found = find()
  if (found !== undefined) memory.set(name, found)
  return found
}

/** Remembers what has a rough size in bytes. */
export const sizedCache = <Key, Value extends { readonly size: number }>({
  streams,
  bytes,
}: CacheLimits): GenerationalCache<Key, Value> =>
  generationalCache(streams, { weightOf: ({ size }) => size, weight: bytes })
