import { parseAccept } from 'hono/utils/accept'

type Range = { readonly range: string; readonly quality: number }

/** The values of a preference header, best first (RFC 9110, 12.4.2). */
const rangesOf = (header = ''): readonly Range[] =>
  parseAccept(header).map(({ type, q }) => ({ range: type.toLowerCase(), quality: q }))

/** The most specific range decides (RFC 9110, 12.5.1). */
const qualityOf = (type: string, ranges: readonly Range[]): number => {
  const name = type.toLowerCase()
  for (const wanted of [name, name.replace(/\/.*/, '/*'), '*/*']) {
    const said = ranges.find(({ range }) => range === wanted)
    if (said) return said.quality
  }
  return 0
}

/** Whether an Accept header allows one of the types; a missing or empty header allows all. */
export const accepts = (header: string | undefined, types: readonly string[]): boolean => {
  // Fast path: nearly every request.
  if (header === undefined || header === '*/*' || types.includes(header)) return true
  const ranges = rangesOf(header)
  return ranges.length === 0 || types.some((type) => qualityOf(type, ranges) > 0)
}

/** The best accepted type; ties go to the first. */
export const preferred = <Type extends string>(
  header: string | undefined,
  types: readonly [Type, ...Type[]],
): Type => {
  const ranges = rangesOf(header)
  return types.reduce((best, type) =>
    qualityOf(type, ranges) > qualityOf(best, ranges) ? type : best,
  )
}

/** Accepted languages, best first. */
export const likedLanguages = (header: string | undefined): readonly string[] =>
  rangesOf(header).flatMap(({ range, quality }) => (quality > 0 ? range : []))
