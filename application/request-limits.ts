import type { Instant, Seconds } from '../domain/time.ts'
import { generationalCache } from './generational-cache.ts'

export type RequestLimit = { readonly perSecond: number; readonly burst: number }

/** A token bucket, represented by when it is full again. */
type Bucket = { readonly limit: RequestLimit | undefined; fullAt: Instant }

type Standing = Bucket & {
  /** When each address was last recorded. */
  readonly addresses: Map<string, Instant>
}
type Shop = Bucket & { readonly callers: Map<string, Standing> }

/** What remains of a limit. */
export type RequestUsage = {
  readonly of: 'merchant' | 'user'
  readonly limit: RequestLimit
  readonly remaining: number
  /** Seconds until a request is allowed again, or the bucket is full. */
  readonly resetSeconds: Seconds
  readonly isOver: boolean
}

type Needs = {
  readonly machineNow: () => Instant
  /** Undefined for no limit; `caller` is null for a merchant as a whole. */
  readonly limitOf: (merchant: string, caller: string | null) => RequestLimit | undefined
  /** Called once an hour for each caller and address. */
  readonly onCaller: (merchant: string, caller: string, address: string) => void
}

const merchantsKept = 10_000
const callersKept = 10_000
const addressesKept = 100
const recordedForMs = 3_600_000

const msOf = (count: number, { perSecond }: RequestLimit): number => (count * 1_000) / perSecond

/** Whether no token is available. The caller takes it later. */
const isEmpty = ({ limit, fullAt }: Bucket, now: Instant): boolean =>
  limit !== undefined && Math.max(fullAt, now) - now > msOf(limit.burst - 1, limit)

const take = (bucket: Bucket, now: Instant): void => {
  if (bucket.limit) bucket.fullAt = Math.max(bucket.fullAt, now) + msOf(1, bucket.limit)
}

/** Undefined while more than half remains. */
const usageOf = (
  of: 'merchant' | 'user',
  { limit, fullAt }: Bucket,
  now: Instant,
  isOver: boolean,
): RequestUsage | undefined => {
  if (!limit) return undefined
  const usedMs = fullAt - now
  const allMs = msOf(limit.burst, limit)
  if (!isOver && usedMs * 2 < allMs) return undefined
  const remaining = isOver
    ? 0
    : Math.max(0, Math.floor(limit.burst - (usedMs * limit.perSecond) / 1000))
  const waitMs = isOver ? usedMs + msOf(1, limit) - allMs : usedMs
  return { of, limit, remaining, resetSeconds: Math.max(1, Math.ceil(waitMs / 1_000)), isOver }
}

/**
 * Limits the requests of each merchant and each caller, in this process (interface 3.9). On the hot
 * path: two look-ups and a few sums.
 */
export const makeRequestLimits = ({ machineNow, limitOf, onCaller }: Needs) => {
  const shops = generationalCache<string, Shop>(merchantsKept)

  const shopOf = (merchant: string): Shop => {
    const made = { limit: limitOf(merchant, null), fullAt: 0, callers: new Map() }
    shops.set(merchant, made)
    return made
  }

  const standingOf = ({ callers }: Shop, merchant: string, caller: string): Standing => {
    if (callers.size >= callersKept) callers.clear()
    const made = { limit: limitOf(merchant, caller), fullAt: 0, addresses: new Map() }
    callers.set(caller, made)
    return made
  }

  const noteAddress = (
    { addresses }: Standing,
    merchant: string,
    caller: string,
    address: string,
    now: Instant,
  ): void => {
    if (now - (addresses.get(address) ?? -Infinity) < recordedForMs) return
    if (addresses.size >= addressesKept) addresses.clear()
    addresses.set(address, now)
    onCaller(merchant, caller, address)
  }

  return {
    /** Counts a request; undefined while much remains. */
    admit: (merchant: string, caller: string, address = ''): RequestUsage | undefined => {
      const now = machineNow()
      const shop = shops.get(merchant) ?? shopOf(merchant)
      const standing = shop.callers.get(caller) ?? standingOf(shop, merchant, caller)
      noteAddress(standing, merchant, caller, address, now)
      if (isEmpty(standing, now)) return usageOf('user', standing, now, true)
      if (isEmpty(shop, now)) return usageOf('merchant', shop, now, true)
      take(standing, now)
      take(shop, now)
      return usageOf('user', standing, now, false) ?? usageOf('merchant', shop, now, false)
    },
    /** Call after limits change. */
    forget: shops.clear,
  }
}

export type Admit = ReturnType<typeof makeRequestLimits>['admit']
