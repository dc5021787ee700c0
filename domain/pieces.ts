/** A list that only grows, in pieces: to add to a long one copies one piece, not all of it. */
export type Pieces<Item> = readonly (readonly Item[])[]

/** In items. */
const fullPiece = 256

export const withAdded = <Item>(pieces: Pieces<Item>, item: Item): Pieces<Item> => {
  const last = pieces.at(-1)
  if (last === undefined || last.length === fullPiece) return [...pieces, [item]]
  return [...pieces.slice(0, -1), [...last, item]]
}

export const countOf = (pieces: Pieces<unknown>): number =>
  pieces.reduce((count, piece) => count + piece.length, 0)

export const findInPieces = <Item>(
  pieces: Pieces<Item>,
  isWanted: (item: Item) => boolean,
): Item | undefined => {
  for (const piece of pieces) {
    const found = piece.find(isWanted)
    if (found !== undefined) return found
  }
  return undefined
}
