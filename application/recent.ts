/** A map that forgets what has not been used lately. */
export type Recent<Key, Value> = {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** How much is remembered at least of what weighs more than it counts. */
type Weighing<Value> = {
  readonly weightOf: (value: Value) => number
  readonly weight: number
}

/**
 * For how many payments under way their states, and the rows folded from their events, are remembered at least. What is
 * forgotten is read from its file again.
 */
export const paymentsRemembered = 10_000

/** How much is remembered at least of what is folded of streams: so many of them, or fewer when they are large. */
export type Room = {
  readonly streams: number
  /** Roughly. */
  readonly bytes: number
}

/** Room for ten thousand usual payments, or some thirty large ones. */
export const usualRoom: Room = { streams: paymentsRemembered, bytes: 33_554_432 }

/**
 * Remembers the `count` entries used last, or fewer of the given weight, and up to as many of those used before them. Two
 * generations instead of an order of use: finding an entry again costs a look-up, and forgetting the old ones costs
 * nothing.
 */
export const recent = <Key, Value>(
  count: number,
  weighing?: Weighing<Value>,
): Recent<Key, Value> => {
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

/** Remembers what has a rough size in bytes. */
export const recentWithin = <Key, Value extends { readonly size: number }>({
  streams,
  bytes,
}: Room): Recent<Key, Value> => recent(streams, { weightOf: ({ size }) => size, weight: bytes })
