/** Counts per key, up to a limit. */
export const limitedCounts = (most: number) => {
  const counts = new Map<string, number>()
  return {
    /** False if the key is at the limit. */
    take: (key: string): boolean => {
      const count = counts.get(key) ?? 0
      if (count >= most) return false
      counts.set(key, count + 1)
      return true
    },
    leave: (key: string): void => {
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
    },
  }
}
