import { z } from 'zod'
import { bucketOf, emptyBuckets, withBucket, type HashBuckets } from '../hash-buckets.ts'
import type { Decider, EventsOf } from '../decider.ts'
import { isAhead, type Instant } from '../time.ts'

const instant = z.int()

const scan = z.object({
  /** Id of the scan, from which its token is derived. */
  scan: z.string(),
  payer: z.string(),
  /** What followed the shortlink's value in the code; empty when nothing did. */
  argstring: z.string(),
  scannedAt: instant,
})

const listener = z.object({
  tid: z.string(),
  requestedAt: instant,
  /** Seconds before the request within which a scan still counts. */
  maxScanAge: z.int(),
  expiresAt: instant,
})

/** Events of the stream `scans-<shortlink id>`: who has scanned it, and which payment request takes which scan. */
export const scanEvents = {
  ShortlinkScanned: scan.extend({
    /** Keyed digest of the scan's token. */
    tokenDigest: z.string(),
  }),
  ScanAwaited: listener,
  /** The scan and the request have found each other; neither can be matched with another. */
  ScanMatched: z.object({ scan: z.string(), payer: z.string(), tid: z.string() }),
  /** The request has taken the scan's payer. */
  MatchConfirmed: z.object({ scan: z.string(), tid: z.string() }),
  /** The request has ended without the scan that it was matched with, if any, which is free again. */
  ScanAwaitingEnded: z.object({ tid: z.string() }),
} as const

export type ScanEvent = EventsOf<typeof scanEvents>
export type Scan = z.output<typeof scan>
export type Listener = z.output<typeof listener>

/** A request that waits, and how many had come to wait before it. */
type Waiting = Listener & { readonly turn: number }

type Match = { readonly scan: Scan; readonly tid: string }

type Scans = {
  /** Scans that no request has taken, oldest first. */
  readonly free: readonly Scan[]
  /** Requests that wait for a scan, by their tid: thousands may, where a till leaves them to expire. */
  readonly listening: HashBuckets<Waiting>
  /** How many have come to wait so far. */
  readonly awaited: number
  /** Matches of which the request does not know yet. */
  readonly matches: readonly Match[]
}

export type ScanCommand =
  | { readonly type: 'RecordScan'; readonly scan: Scan; readonly tokenDigest: string }
  | { readonly type: 'AwaitScan'; readonly at: Instant; readonly listener: Listener }
  | { readonly type: 'ConfirmMatch'; readonly tid: string; readonly scan: string }
  | { readonly type: 'EndAwaiting'; readonly at: Instant; readonly tid: string }

/** Scans that wait for a request on one code; beyond it the oldest is forgotten. */
export const maxFreeScans = 1000

/** A request that a clock wrote which was ahead was made by now all the same. */
const askedAt = ({ requestedAt }: Listener, at: Instant): Instant => Math.min(requestedAt, at)

/**
 * A scan counts for a request when it came after it, or not longer before it than the request allows. When one came is
 * not known that a clock wrote which was ahead.
 */
const counts = ({ scannedAt }: Scan, listener: Listener, at: Instant): boolean =>
  !isAhead(scannedAt, at) && scannedAt >= askedAt(listener, at) - listener.maxScanAge * 1000

const matched = ({ scan, payer }: Scan, { tid }: Listener): ScanEvent => ({
  type: 'ScanMatched',
  data: { scan, payer, tid },
})

const isLater = (one: Waiting, other: Waiting, at: Instant): boolean => {
  const [first, second] = [askedAt(one, at), askedAt(other, at)]
  return first === second ? one.turn > other.turn : first > second
}

/** The latest of the requests that still wait takes the scan. */
const matchOfScan = (
  scan: Scan,
  listening: HashBuckets<Waiting>,
  at: Instant,
): readonly ScanEvent[] => {
  let taker: Waiting | undefined
  for (const bucket of listening)
    for (const one of bucket)
      if (at < one.expiresAt && counts(scan, one, at) && (!taker || isLater(one, taker, at)))
        taker = one
  return taker ? [matched(scan, taker)] : []
}

const without = <T extends { readonly tid: string }>(items: readonly T[], tid: string) =>
  items.filter((item) => item.tid !== tid)

const withoutListener = (listening: HashBuckets<Waiting>, tid: string): HashBuckets<Waiting> =>
  withBucket(listening, tid, (bucket) => without(bucket, tid))

/** Puts an item before the first that is later. */
const inOrder = <T>(items: readonly T[], item: T, at: (item: T) => Instant): readonly T[] => {
  const index = items.findIndex((other) => at(other) > at(item))
  return index < 0 ? [...items, item] : items.toSpliced(index, 0, item)
}

/**
 * The static-QR rules for one code. A request takes the most recent free scan that counts for it, or listens; a scan
 * goes to the latest request that listens, or stays free. So no free scan counts for a request that listens.
 */
export const scans: Decider<ScanCommand, ScanEvent, Scans> = {
  initial: { free: [], listening: emptyBuckets, awaited: 0, matches: [] },
  decide(command, { free, listening, matches }) {
    switch (command.type) {
      case 'RecordScan': {
        const { scan, tokenDigest } = command
        const scanned: ScanEvent = { type: 'ShortlinkScanned', data: { ...scan, tokenDigest } }
        return [scanned, ...matchOfScan(scan, listening, scan.scannedAt)]
      }
      case 'AwaitScan': {
        const { at, listener } = command
        const isKnown = (item: { readonly tid: string }) => item.tid === listener.tid
        if (bucketOf(listening, listener.tid).some(isKnown) || matches.some(isKnown)) return []
        const awaited: ScanEvent = { type: 'ScanAwaited', data: listener }
        const scan = free.findLast((scan) => counts(scan, listener, at))
        return scan && at < listener.expiresAt ? [awaited, matched(scan, listener)] : [awaited]
      }
      case 'ConfirmMatch': {
        const { tid, scan } = command
        const isIt = matches.some((match) => match.tid === tid && match.scan.scan === scan)
        return isIt ? [{ type: 'MatchConfirmed', data: { scan, tid } }] : []
      }
      case 'EndAwaiting': {
        const { at, tid } = command
        const ended: ScanEvent = { type: 'ScanAwaitingEnded', data: { tid } }
        const match = matches.find((match) => match.tid === tid)
        if (match) return [ended, ...matchOfScan(match.scan, listening, at)]
        return bucketOf(listening, tid).some((listener) => listener.tid === tid) ? [ended] : []
      }
    }
  },
  evolve(state, event) {
    const { free, listening, awaited, matches } = state
    switch (event.type) {
      case 'ShortlinkScanned': {
        const { tokenDigest: _, ...scan } = event.data
        return { ...state, free: [...free, scan].slice(-maxFreeScans) }
      }
      case 'ScanAwaited': {
        const waiting = { ...event.data, turn: awaited }
        const wait = (bucket: readonly Waiting[]) =>
          inOrder(bucket, waiting, ({ requestedAt }) => requestedAt)
        const all = withBucket(listening, waiting.tid, wait)
        return { ...state, listening: all, awaited: awaited + 1 }
      }
      case 'ScanMatched': {
        const { tid } = event.data
        const scan = free.find(({ scan }) => scan === event.data.scan)
        return {
          ...state,
          free: free.filter((other) => other !== scan),
          listening: withoutListener(listening, tid),
          matches: scan ? [...matches, { scan, tid }] : matches,
        }
      }
      case 'MatchConfirmed':
        return { ...state, matches: without(matches, event.data.tid) }
      case 'ScanAwaitingEnded': {
        const { tid } = event.data
        const freed = matches.find((match) => match.tid === tid)?.scan
        return {
          ...state,
          free: freed ? inOrder(free, freed, ({ scannedAt }) => scannedAt) : free,
          listening: withoutListener(listening, tid),
          matches: without(matches, tid),
        }
      }
    }
  },
}
