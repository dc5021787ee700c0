/** A queue that holds each thing once, in the order of coming. */
export const uniqueQueue = <One>() => {
  const waiting = new Set<One>()
  // One iterator for all takes: a new one would step over the gaps that all earlier takes have left in the set. It also
  // yields what is added later, as long as it never reaches the end: hence the look at the size.
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

export type UniqueQueue<One> = ReturnType<typeof uniqueQueue<One>>
