/** A first-in, first-out queue without duplicates. */
export const uniqueQueue = <Item>() => {
  const waiting = new Set<Item>()
  // A single iterator for all takes, because a new one would skip all deleted entries again. It
  // yields later additions as long as it never reaches the end, hence the check of the size.
  const rest = waiting.values()

  return {
    add: (item: Item): void => void waiting.add(item),
    size: (): number => waiting.size,
    take: (): Item | undefined => {
      if (waiting.size === 0) return undefined
      const { value } = rest.next()
      if (value !== undefined) waiting.delete(value)
      return value
    },
  }
}

export type UniqueQueue<Item> = ReturnType<typeof uniqueQueue<Item>>
