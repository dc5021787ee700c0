import type { DeliveryLane } from '../domain/callback.ts'
import { uniqueQueue, type UniqueQueue } from './queue-by-key.ts'

type Merchant = DeliveryLane['merchant']

/** Concurrent deliveries per pool, per merchant and per destination. */
const slotsPerPool = 256

const slotsPerMerchant = 64

export const slotsPerDestination = 16

/** Destinations that answer faster than this count as quick. */
const quickMs = 1000

const maxQuickDestinations = 10_000

/** Waiting destinations of a merchant. */
const makeWaiting = () => ({
  fresh: uniqueQueue<string>(),
  others: uniqueQueue<string>(),
  isTurnOfFresh: true,
})

type Waiting = ReturnType<typeof makeWaiting>

const makePool = () => ({
  held: 0,
  heldOf: new Map<Merchant, number>(),
  waitingOf: new Map<Merchant, Waiting>(),
  /** Merchants with waiting destinations. */
  merchants: uniqueQueue<Merchant>(),
})

/** A slot that a running delivery holds. */
export type Slot = DeliveryLane & { readonly pool: ReturnType<typeof makePool> }

const decrement = <Key>(counts: Map<Key, number>, key: Key): void => {
  const less = (counts.get(key) ?? 0) - 1
  if (less > 0) counts.set(key, less)
  else counts.delete(key)
}

const nextOf = (own: Waiting): string | undefined => {
  const { fresh, others, isTurnOfFresh } = own
  own.isTurnOfFresh = !isTurnOfFresh
  return isTurnOfFresh ? (fresh.take() ?? others.take()) : (others.take() ?? fresh.take())
}

/**
 * Decides which lane delivers next. Merchants take turns; within a merchant, destinations with new
 * messages alternate with all others, and each group is served in turn. Quick destinations have a
 * separate pool, so that slow ones cannot delay them. Each step takes constant time.
 * Long because every step shares the same counters.
 */
export const makeDeliverySlots = () => {
  const quickPool = makePool()
  const slowPool = makePool()
  /** Destinations that were quick last time. */
  const quick = new Set<string>()
  const heldAt = new Map<string, number>()
  /** Merchants waiting for a full destination. */
  const waitingFor = new Map<string, UniqueQueue<Merchant>>()

  const add = ({ merchant, destination }: DeliveryLane, isFresh = false): void => {
    const { waitingOf, merchants } = quick.has(destination) ? quickPool : slowPool
    const own = waitingOf.get(merchant) ?? makeWaiting()
    waitingOf.set(merchant, own)
    own[isFresh ? 'fresh' : 'others'].add(destination)
    merchants.add(merchant)
  }

  const waitFor = (destination: string, merchant: Merchant): void => {
    const others = waitingFor.get(destination) ?? uniqueQueue()
    waitingFor.set(destination, others)
    others.add(merchant)
  }

  /** The merchant's next destination with a free slot. */
  const takeFor = (merchant: Merchant, own: Waiting): string | undefined => {
    for (let next = nextOf(own); next !== undefined; next = nextOf(own)) {
      if ((heldAt.get(next) ?? 0) < slotsPerDestination) return next
      waitFor(next, merchant)
    }
    return undefined
  }

  const takeFrom = (pool: Slot['pool']): Slot | undefined => {
    const { heldOf, waitingOf, merchants } = pool
    if (pool.held === slotsPerPool) return undefined
    for (let left = merchants.size(); left > 0; left--) {
      const merchant = merchants.take() ?? null
      const held = heldOf.get(merchant) ?? 0
      const own = waitingOf.get(merchant)
      // Only a few merchants can be full at a time, so the search is short.
      const isFull = held === slotsPerMerchant
      const destination = !isFull && own ? takeFor(merchant, own) : undefined
      if (isFull || destination !== undefined) merchants.add(merchant)
      else waitingOf.delete(merchant)
      if (destination === undefined) continue
      pool.held += 1
      heldOf.set(merchant, held + 1)
      heldAt.set(destination, (heldAt.get(destination) ?? 0) + 1)
      return { merchant, destination, pool }
    }
    return undefined
  }

  /** Frees the slot, and lets the next merchant waiting for the destination in. */
  const leave = ({ merchant, destination, pool }: Slot): void => {
    pool.held -= 1
    decrement(pool.heldOf, merchant)
    decrement(heldAt, destination)
    const others = waitingFor.get(destination)
    if (!others) return
    add({ merchant: others.take() ?? null, destination })
    if (others.size() === 0) waitingFor.delete(destination)
  }

  /** Records how long a destination took to answer or fail. */
  const recordTime = (destination: string, milliseconds: number): void => {
    if (milliseconds >= quickMs) return void quick.delete(destination)
    quick.add(destination)
    if (quick.size <= maxQuickDestinations) return
    const [oldest = ''] = quick
    quick.delete(oldest)
  }

  return {
    /** Queues a lane; one that is already queued keeps its place. */
    add,
    /** Takes a slot for the next lane, if both exist. */
    take: (): Slot | undefined => takeFrom(quickPool) ?? takeFrom(slowPool),
    leave,
    /** Whether a lane waits for a slot of its pool, or of its merchant. */
    isWaitedFor: (): boolean => quickPool.merchants.size() + slowPool.merchants.size() > 0,
    recordTime,
  }
}
