/** The ids of messages that were handled; a `Set` is one, a table of a database another. */
export type Seen = {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

/** Keeps the last ids in memory. */
export const seenInMemory = (limit = 100_000): Seen => {
  const ids = new Set<string>()
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id)
      const [oldest] = ids
      if (ids.size > limit && oldest !== undefined) ids.delete(oldest)
    },
  }
}
