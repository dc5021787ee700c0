import { parseAccept } from 'hono/utils/accept'
import type { FreshnessRequest, Freshness, FreshRead } from '../application/freshness.ts'
import type { Names } from './assets.ts'
import { RequestError } from './errors.ts'

/** Interface 19. */
export const directive = /(?:^|[,\s])max-age="?(\d{1,9})"?(?:[,\s]|$)/i

export const neverOld = /(?:^|[,\s])no-(?:cache|store)(?:[,\s]|$)/i

export const maxAgeIn = (cacheControl: string | undefined): number => {
  if (cacheControl === undefined || neverOld.test(cacheControl)) return 0
  return Number(directive.exec(cacheControl)?.[1] ?? 0)
}

/** Undefined when a read asks for the newest, as most do. @throws RequestError */
export const readFreshness = (
  { minPosition: name, position }: Names,
  header: (name: string) => string | undefined,
): FreshnessRequest | undefined => {
  const written = header(name)
  const maxAge = maxAgeIn(header('cache-control'))
  if (written === undefined && maxAge === 0) return undefined
  const minPosition = Number(written)
  if (written !== undefined && !(/^\d{1,16}$/.test(written) && Number.isSafeInteger(minPosition)))
    throw new RequestError(400, `${name} must be a position, as ${position} gives it.`)
  return { ...(written !== undefined && { minPosition }), ...(maxAge > 0 && { maxAge }) }
}

/**
 * Runs a read as fresh as it asks to be, and in its turn. Only what it asks the store for when it
 * starts counts for its position. @throws RequestError, StoreUnavailable
 */
export const readFresh = async <Answer>(
  names: Names,
  freshness: FreshnessRequest | undefined,
  read: FreshRead,
  work: () => Answer,
  turn?: () => Promise<void>,
): Promise<Awaited<Answer>> => {
  if (freshness && (await read.settle(freshness)) === 'beyond the log')
    throw new RequestError(400, `${names.minPosition}: the log has no such position yet.`)
  await turn?.()
  return await read.run(work)
}

/** What an answer tells: how far it reaches, or where the change that it confirms lies at most. */
export const freshnessHeaders = (
  { position }: Names,
  { known }: Freshness,
  read: FreshRead | undefined,
): Readonly<Record<string, string>> => {
  const age = read?.age()
  return {
    [position]: String(read ? read.position() : known()),
    ...(age !== undefined && { Age: String(age) }),
  }
}

type Range = { readonly range: string; readonly quality: number }

/** The values of a preference header, best first (RFC 9110, 12.4.2). */
const rangesOf = (header = ''): readonly Range[] =>
  parseAccept(header).map(({ type, q }) => ({ range: type.toLowerCase(), quality: q }))

/** The most specific range decides (RFC 9110, 12.5.1). */
const qualityOf = (type: string, ranges: readonly Range[]): number => {
  const name = type.toLowerCase()
  for (const candidate of [name, name.replace(/\/.*/, '/*'), '*/*']) {
    const said = ranges.find(({ range }) => range === candidate)
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
