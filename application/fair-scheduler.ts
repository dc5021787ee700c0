import type { DeliveryLane } from '../domain/callback.ts'
import { uniqueQueue, type UniqueQueue } from './unique-queue.ts'

type Whose = DeliveryLane['merchant']

/** How many deliveries may be under way of each kind. */
const placesOfKind = 256
/** How many of them may be of one merchant. */
const placesOfMerchant = 64
/** How many deliveries to one destination may be under way, of whatever kind and merchant. */
export const placesOfDestination = 16

/** A destination that takes no longer than this keeps nobody waiting for long. */
const quickMs = 1000
const maxQuickDestinations = 10_000

/** The destinations of a merchant that wait for a place. */
const makeWaiting = () => ({
  news: uniqueQueue<string>(),
  others: uniqueQueue<string>(),
  isTurnOfNews: true,
})
type Waiting = ReturnType<typeof makeWaiting>

const makeKind = () => ({
  held: 0,
  heldOf: new Map<Whose, number>(),
  waitingOf: new Map<Whose, Waiting>(),
  /** The merchants of whom something waits. */
  merchants: uniqueQueue<Whose>(),
})

/** What a delivery holds while it is under way. */
export type Place = DeliveryLane & { readonly kind: ReturnType<typeof makeKind> }

const lessen = <Key>(counts: Map<Key, number>, key: Key): void => {
  const less = (counts.get(key) ?? 0) - 1
  if (less > 0) counts.set(key, less)
  else counts.delete(key)
}

const nextOf = (theirs: Waiting): string | undefined => {
  const { news, others, isTurnOfNews } = theirs
  theirs.isTurnOfNews = !isTurnOfNews
  return isTurnOfNews ? (news.take() ?? others.take()) : (others.take() ?? news.take())
}

/**
 * Who may deliver next. Merchants take turns; within a merchant, destinations with a new message and all others take
 * turns, and within each of these two groups every destination does. Quick destinations have a pool of places of their
 * own, so that slow or untried ones cannot hold them up. A step costs the same however much waits.
 */
export const makeFairScheduler = () => {
  const quickKind = makeKind()
  const slowKind = makeKind()
  /** The destinations that were quick the last time. */
  const quick = new Set<string>()
  const heldAt = new Map<string, number>()
  /** By destination, the merchants that wait because as much is under way there as may be. */
  const waitingFor = new Map<string, UniqueQueue<Whose>>()

  const add = ({ merchant, destination }: DeliveryLane, isNews = false): void => {
    const { waitingOf, merchants } = quick.has(destination) ? quickKind : slowKind
    const theirs = waitingOf.get(merchant) ?? makeWaiting()
    waitingOf.set(merchant, theirs)
    theirs[isNews ? 'news' : 'others'].add(destination)
    merchants.add(merchant)
  }

  const waitFor = (destination: string, merchant: Whose): void => {
    const others = waitingFor.get(destination) ?? uniqueQueue()
    waitingFor.set(destination, others)
    others.add(merchant)
  }

  /** Takes the next destination of a merchant to which something may be begun. */
  const takeFor = (merchant: Whose, theirs: Waiting): string | undefined => {
    for (let next = nextOf(theirs); next !== undefined; next = nextOf(theirs)) {
      if ((heldAt.get(next) ?? 0) < placesOfDestination) return next
      waitFor(next, merchant)
    }
    return undefined
  }

  const takeOf = (kind: Place['kind']): Place | undefined => {
    const { heldOf, waitingOf, merchants } = kind
    if (kind.held === placesOfKind) return undefined
    for (let left = merchants.size(); left > 0; left--) {
      const merchant = merchants.take() ?? null
      const held = heldOf.get(merchant) ?? 0
      const theirs = waitingOf.get(merchant)
      // Few merchants can be full at the same time, as the kind has few places: the next one that may is not far.
      const isFull = held === placesOfMerchant
      const destination = !isFull && theirs ? takeFor(merchant, theirs) : undefined
      if (isFull || destination !== undefined) merchants.add(merchant)
      else waitingOf.delete(merchant)
      if (destination === undefined) continue
      kind.held += 1
      heldOf.set(merchant, held + 1)
      heldAt.set(destination, (heldAt.get(destination) ?? 0) + 1)
      return { merchant, destination, kind }
    }
    return undefined
  }

  /** Gives a place back; who waited for one at its destination has a turn again. */
  const leave = ({ merchant, destination, kind }: Place): void => {
    kind.held -= 1
    lessen(kind.heldOf, merchant)
    lessen(heldAt, destination)
    const others = waitingFor.get(destination)
    if (!others) return
    add({ merchant: others.take() ?? null, destination })
    if (others.size() === 0) waitingFor.delete(destination)
  }

  /** Remembers how long a destination took to answer, or to fail. */
  const noteTime = (destination: string, milliseconds: number): void => {
    if (milliseconds >= quickMs) return void quick.delete(destination)
    quick.add(destination)
    if (quick.size <= maxQuickDestinations) return
    const [oldest = ''] = quick
    quick.delete(oldest)
  }

  return {
    /** Has a lane wait for a place; one that waits already stays where it is. */
    add,
    /** Takes a place for the lane whose turn it is, if there is one of each. */
    take: (): Place | undefined => takeOf(quickKind) ?? takeOf(slowKind),
    leave,
    noteTime,
  }
}
