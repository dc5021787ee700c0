/**
 * The stream of an aggregate: `<category>-<id>`. There is no hyphen in a category. `join` makes a flat string: V8 keeps
 * `a + b` as a rope, and looking a rope up in a Map, as each command does several times, is slow.
 */
export const streamOf = ({ category }: { readonly category: string }, id: string): string =>
  [category, id].join('-')

/** The category of the aggregate whose stream it is: what stands before the first hyphen. */
export const categoryOf = (stream: string): string => stream.split('-', 1)[0] ?? stream

/** The id of the aggregate whose stream it is. */
export const idIn = (stream: string): string => stream.slice(stream.indexOf('-') + 1)

/** The id of something that is unique within a merchant. No two pairs share one; it is ASCII whatever the ids are. */
export const within = (merchant: string, id: string): string =>
  [encodeURIComponent(merchant), encodeURIComponent(id)].join('/')

/** The merchant and the id that `within` has joined. */
export const merchantAndIdIn = (joined: string): readonly [merchant: string, id: string] => {
  const [merchant = '', id = ''] = joined.split('/')
  return [decodeURIComponent(merchant), decodeURIComponent(id)]
}
