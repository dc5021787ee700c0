/** A list that only grows, in pieces: to add to a long one copies one piece, not all of it. */
export type ChunkedList<Item> = readonly (readonly Item[])[]

/** In items. */
const fullPiece = 256

export const withItem = <Item>(pieces: ChunkedList<Item>, item: Item): ChunkedList<Item> => {
  const last = pieces.at(-1)
  if (last === undefined || last.length === fullPiece) return [...pieces, [item]]
  return [...pieces.slice(0, -1), [...last, item]]
}

export const countItems = (pieces: ChunkedList<unknown>): number =>
  pieces.reduce((count, piece) => count + piece.length, 0)

export const findItem = <Item>(
  pieces: ChunkedList<Item>,
  isWanted: (item: Item) => boolean,
): Item | undefined => {
  for (const piece of pieces) {
    const found = piece.find(isWanted)
    if (found !== undefined) return found
  }
  return undefined
}
