/** The limit of a key; keys of networks come the widest first, and each has a limit of its own. */
type MostOf = (key: string, place: number, keys: readonly string[]) => number

/** Counts per key, up to a limit. Who has several keys, such as its networks, counts in each. */
export const limitedCounts = (most: number | MostOf) => {
  const counts = new Map<string, number>()
  const mostOf: MostOf = typeof most === 'number' ? () => most : most
  const listed = (key: string | readonly string[]): readonly string[] =>
    typeof key === 'string' ? [key] : key
  const leave = (key: string): void => {
    const left = (counts.get(key) ?? 0) - 1
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  return {
    /** False if one of the keys would be over the limit; then none counts. */
    take: (key: string | readonly string[], by = 1): boolean => {
      const keys = listed(key)
      const sumOf = (one: string): number => (counts.get(one) ?? 0) + by
      if (keys.some((one, place) => sumOf(one) > mostOf(one, place, keys))) return false
      for (const one of keys) counts.set(one, sumOf(one))
      return true
    },
    clear: (): void => counts.clear(),
    leave: (key: string | readonly string[]): void => listed(key).forEach(leave),
  }
}
