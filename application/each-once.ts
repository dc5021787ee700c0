/**
 * What waits, each once, first come first out. The set alone would do, but whoever looks for the first in it passes by
 * all that have gone before.
 */
export const eachOnce = <One>() => {
  const waiting = new Set<One>()
  // It is always where the first one is: what comes is put behind it, and what it has passed by is gone.
  const rest = waiting.values()

  return {
    add: (one: One): void => void waiting.add(one),
    size: (): number => waiting.size,
    take: (): One | undefined => {
      if (waiting.size === 0) return undefined
      const { value } = rest.next()
      if (value !== undefined) waiting.delete(value)
      return value
    },
  }
}

export type EachOnce<One> = ReturnType<typeof eachOnce<One>>
