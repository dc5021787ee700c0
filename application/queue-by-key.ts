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

/** Whose an item is, the widest first: a /48 and a /64 within it, or a merchant. */
export type Path = readonly string[]

type Options = {
  readonly maxWaiting: number
  /** Of one whole path; by default only the total counts, and what networks share. */
  readonly maxWaitingPerKey?: number | undefined
  /** What a key has used of late; equal by default. */
  readonly spentBy?: ((key: string) => number) | undefined
}

/** Of so many that have waited longest, the one goes first that has used least. */
const compared = 16

type Place<Item> = {
  readonly path: Path
  readonly items: UniqueQueue<Item>
  /** In the order of their turns. */
  readonly below: Map<string, Place<Item>>
  size: number
}

const placeAt = <Item>(path: Path): Place<Item> => ({
  path,
  items: uniqueQueue(),
  below: new Map(),
  size: 0,
})

const nextOf = <Item>(
  { below }: Place<Item>,
  spentBy: (key: string) => number,
): Place<Item> | undefined => {
  let best: Place<Item> | undefined
  let least = Infinity
  let seen = 0
  for (const [key, place] of below) {
    const spent = spentBy(key)
    if (spent < least) [best, least] = [place, spent]
    seen += 1
    if (least === 0 || seen === compared) break
  }
  return best
}

/** Takes the next item of a place; whose it was goes to the end of its row. */
const takeFrom = <Item>(
  place: Place<Item>,
  spentBy: (key: string) => number,
): { readonly item: Item; readonly path: Path } => {
  place.size -= 1
  const item = place.items.take()
  if (item !== undefined) return { item, path: place.path }
  const next = nextOf(place, spentBy)
  const key = next?.path.at(-1)
  if (!next || key === undefined) throw new Error('a place in the queue is empty')
  const taken = takeFrom(next, spentBy)
  place.below.delete(key)
  if (next.size > 0) place.below.set(key, next)
  return taken
}

/**
 * Items that wait by key. Keys take turns, and so do keys within a key; items of one key stay in
 * order. A key within another may fill half of the room that its neighbours leave, so that there is
 * always room for somebody else.
 */
export const queueByKey = <Item>({
  maxWaiting,
  maxWaitingPerKey = maxWaiting,
  spentBy = () => 0,
}: Options) => {
  const top = placeAt<Item>([])

  /** The places along a path; undefined if one of them is full. */
  const placesFor = (path: Path): readonly Place<Item>[] | undefined => {
    const places = [top]
    let room = maxWaiting
    if (top.size >= room) return undefined
    let above = top
    for (const [index, key] of path.entries()) {
      const place: Place<Item> = above.below.get(key) ?? placeAt(path.slice(0, index + 1))
      if (index > 0) {
        if (place.size >= room - above.size) return undefined
        room /= 2
      }
      places.push(place)
      above = place
    }
    return above.size >= maxWaitingPerKey ? undefined : places
  }

  return {
    size: (): number => top.size,
    /** False if there is no room. */
    add: (path: Path, item: Item): boolean => {
      const places = placesFor(path)
      if (!places) return false
      for (const [index, place] of places.entries()) {
        place.size += 1
        const key = path[index]
        const next = places[index + 1]
        if (key !== undefined && next) place.below.set(key, next)
        else place.items.add(item)
      }
      return true
    },
    take: (): { readonly item: Item; readonly path: Path } | undefined =>
      top.size === 0 ? undefined : takeFrom(top, spentBy),
  }
}
