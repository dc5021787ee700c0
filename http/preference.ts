type Range = { readonly range: string; readonly quality: number }

const rangesOf = (header: string): readonly Range[] =>
  header.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((text) => text.startsWith('q='))?.slice(2)
    return { range, quality: quality === undefined ? 1 : Number(quality) || 0 }
  })

/** The more exactly a range names a type, the more it counts (RFC 9110, 12.5.1). */
const exactness = (range: string, type: string): number => {
  if (range === type) return 3
  if (range.endsWith('/*') && type.startsWith(range.slice(0, -1))) return 2
  return range === '*/*' ? 1 : 0
}

const qualityOf = (type: string, ranges: readonly Range[]): number => {
  let best: Range = { range: '', quality: 0 }
  for (const range of ranges)
    if (exactness(range.range, type) > exactness(best.range, type)) best = range
  return best.quality
}

/** The type that an Accept header likes best, the first of those that it likes as well. */
export const preferred = <Type extends string>(
  header: string | undefined,
  types: readonly [Type, ...Type[]],
): Type => {
  if (header === undefined || header.trim() === '') return types[0]
  const ranges = rangesOf(header)
  return types.reduce((best, type) =>
    qualityOf(type, ranges) > qualityOf(best, ranges) ? type : best,
  )
}
