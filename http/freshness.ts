import type { AskedFreshness, Freshness, FreshRead } from '../application/freshness.ts'
import type { Names } from './assets.ts'
import { RequestError } from './errors.ts'

/** Interface 19. */
const directive = /(?:^|[,\s])max-age="?(\d{1,9})"?(?:[,\s]|$)/i

const neverOld = /(?:^|[,\s])no-(?:cache|store)(?:[,\s]|$)/i

const maxAgeIn = (cacheControl: string | undefined): number => {
  if (cacheControl === undefined || neverOld.test(cacheControl)) return 0
  return Number(directive.exec(cacheControl)?.[1] ?? 0)
}

/** Undefined when a read asks for the newest, as most do. @throws RequestError */
export const askedFreshness = (
  { minPosition: name, position }: Names,
  header: (name: string) => string | undefined,
): AskedFreshness | undefined => {
  const given = header(name)
  const maxAge = maxAgeIn(header('cache-control'))
  if (given === undefined && maxAge === 0) return undefined
  const minPosition = Number(given)
  if (given !== undefined && !(/^\d{1,16}$/.test(given) && Number.isSafeInteger(minPosition)))
    throw new RequestError(400, `${name} must be a position, as ${position} gives it.`)
  return { ...(given !== undefined && { minPosition }), ...(maxAge > 0 && { maxAge }) }
}

/**
 * Runs a read as fresh as it asks to be, and in its turn. Only what it asks the store for when it
 * starts counts for its position. @throws RequestError, StoreUnavailable
 */
export const readAsAsked = async <Answer>(
  names: Names,
  asked: AskedFreshness | undefined,
  read: FreshRead,
  work: () => Answer,
  turn?: () => Promise<void>,
): Promise<Awaited<Answer>> => {
  if (asked && (await read.settle(asked)) === 'beyond the log')
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
