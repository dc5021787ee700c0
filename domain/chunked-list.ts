/** An append-only list in chunks, so that adding to a long list copies one chunk. */
export type ChunkedList<Item> = readonly (readonly Item[])[]

const chunkSize = 256

export const withItem = <Item>(chunks: ChunkedList<Item>, item: Item): ChunkedList<Item> => {
  const last = chunks.at(-1)
  if (last === undefined || last.length === chunkSize) return [...chunks, [item]]
  return [...chunks.slice(0, -1), [...last, item]]
}

export const countItems = (chunks: ChunkedList<unknown>): number =>
  chunks.reduce((count, chunk) => count + chunk.length, 0)

export const findItem = <Item>(
  chunks: ChunkedList<Item>,
  isWanted: (item: Item) => boolean,
): Item | undefined => {
  for (const chunk of chunks) {
    const found = chunk.find(isWanted)
    if (found !== undefined) return found
  }
  return undefined
}
