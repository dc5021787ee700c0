import { parseAccept } from 'hono/utils/accept'

type Range = { readonly range: string; readonly quality: number }

/** What a header of preferences names, the best liked first (RFC 9110, 12.4.2). */
const rangesOf = (header = ''): readonly Range[] =>
  parseAccept(header).map(({ type, q }) => ({ range: type.toLowerCase(), quality: q }))

/** The range that says most about a type decides (RFC 9110, 12.5.1). */
const qualityOf = (type: string, ranges: readonly Range[]): number => {
  const name = type.toLowerCase()
  for (const wanted of [name, name.replace(/\/.*/, '/*'), '*/*']) {
    const said = ranges.find(({ range }) => range === wanted)
    if (said) return said.quality
  }
  return 0
}

/** Whether an Accept header allows one of the types; all do without one, and one that names nothing refuses nothing. */
export const accepts = (header: string | undefined, types: readonly string[]): boolean => {
  // Most requests are of these kinds, and every request comes by here.
  if (header === undefined || header === '*/*' || types.includes(header)) return true
  const ranges = rangesOf(header)
  return ranges.length === 0 || types.some((type) => qualityOf(type, ranges) > 0)
}

/** The type that an Accept header likes best, the first of those that it likes as well. */
export const preferred = <Type extends string>(
  header: string | undefined,
  types: readonly [Type, ...Type[]],
): Type => {
  const ranges = rangesOf(header)
  return types.reduce((best, type) =>
    qualityOf(type, ranges) > qualityOf(best, ranges) ? type : best,
  )
}

/** The languages that an Accept-Language header names and does not refuse, the best liked first. */
export const likedLanguages = (header: string | undefined): readonly string[] =>
  rangesOf(header).flatMap(({ range, quality }) => (quality > 0 ? range : []))
