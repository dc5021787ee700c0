import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { instant, type Instant, isAhead } from '../time.ts'

/** Items hashed by name into buckets, so that adding or removing one copies a single bucket. */
export type HashBuckets<Item> = readonly (readonly Item[])[]

/** Must be a power of two. */
export const bucketCount = 128

export const emptyBuckets: HashBuckets<never> = Array.from({ length: bucketCount }, () => [])

export const indexOf = (name: string): number => {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = (31 * hash + name.charCodeAt(at)) | 0
  return hash & (bucketCount - 1)
}

/** The bucket that would hold the item. */
export const bucketOf = <Item>(buckets: HashBuckets<Item>, name: string): readonly Item[] =>
  buckets[indexOf(name)] ?? []

export const withBucket = <Item>(
  buckets: HashBuckets<Item>,
  name: string,
  change: (bucket: readonly Item[]) => readonly Item[],
): HashBuckets<Item> => buckets.with(indexOf(name), change(bucketOf(buckets, name)))

const scan = z.object({
  /** The scan token is derived from this id. */
  scan: z.string(),
  payer: z.string(),
  /** Text after the shortlink in the code; may be empty. */
  argstring: z.string(),
  scannedAt: instant,
})

const listener = z.object({
  tid: z.string(),
  requestedAt: instant,
  /** How many seconds before the request a scan still counts. */
  maxScanAge: z.int(),
  expiresAt: instant,
})

/** Streams `scans-<shortlink id>`. */
export const scanEvents = {
  ShortlinkScanned: scan.extend({
    /** Keyed digest of the scan's token. */
    tokenDigest: z.string(),
  }),
  ScanAwaited: listener,
  /** The scan and the request can no longer be matched. */
  ScanMatched: z.object({ scan: z.string(), payer: z.string(), tid: z.string() }),
  /** The payment has accepted the payer. */
  MatchConfirmed: z.object({ scan: z.string(), tid: z.string() }),
  /** The request ended; its matched scan, if any, is free again. */
  ScanAwaitingEnded: z.object({ tid: z.string() }),
} as const

export type ScanEvent = EventsOf<typeof scanEvents>

export type Scan = z.output<typeof scan>

export type Listener = z.output<typeof listener>

/** `turn` is the order of arrival. */
type Waiting = Listener & { readonly turn: number }

type Match = { readonly scan: Scan; readonly tid: string }

type Scans = {
  /** Unmatched scans, oldest first. */
  readonly free: readonly Scan[]
  /** Waiting requests by tid; there may be thousands. */
  readonly listening: HashBuckets<Waiting>
  /** Number of requests that ever waited. */
  readonly awaited: number
  /** Matches that the payment has not confirmed. */
  readonly matches: readonly Match[]
}

export type ScanCommand =
  | { readonly type: 'RecordScan'; readonly scan: Scan; readonly tokenDigest: string }
  | { readonly type: 'AwaitScan'; readonly at: Instant; readonly listener: Listener }
  | { readonly type: 'ConfirmMatch'; readonly tid: string; readonly scan: string }
  | { readonly type: 'EndAwaiting'; readonly at: Instant; readonly tid: string }

/** Unmatched scans per code; the oldest is dropped. */
export const maxFreeScans = 1000

/** A request dated in the future (the clock was ahead) counts as made now. */
const requestTime = ({ requestedAt }: Listener, at: Instant): Instant => Math.min(requestedAt, at)

/**
 * Whether a scan is recent enough for a request. Scans dated in the future never are: their true
 * time is unknown.
 */
const isRecentFor = ({ scannedAt }: Scan, listener: Listener, at: Instant): boolean =>
  !isAhead(scannedAt, at) && scannedAt >= requestTime(listener, at) - listener.maxScanAge * 1000

const matched = ({ scan, payer }: Scan, { tid }: Listener): ScanEvent => ({
  type: 'ScanMatched',
  data: { scan, payer, tid },
})

const isLaterRequest = (a: Waiting, b: Waiting, at: Instant): boolean => {
  const [first, second] = [requestTime(a, at), requestTime(b, at)]
  return first === second ? a.turn > b.turn : first > second
}

/** The latest waiting request gets the scan. */
const matchOfScan = (
  scan: Scan,
  listening: HashBuckets<Waiting>,
  at: Instant,
): readonly ScanEvent[] => {
  let taker: Waiting | undefined
  for (const bucket of listening)
    for (const request of bucket)
      if (at < request.expiresAt && isRecentFor(scan, request, at))
        if (!taker || isLaterRequest(request, taker, at)) taker = request
  return taker ? [matched(scan, taker)] : []
}

const without = <T extends { readonly tid: string }>(items: readonly T[], tid: string) =>
  items.filter((item) => item.tid !== tid)

const withoutListener = (listening: HashBuckets<Waiting>, tid: string): HashBuckets<Waiting> =>
  withBucket(listening, tid, (bucket) => without(bucket, tid))

/** Inserts before the first later item. */
const inOrder = <T>(items: readonly T[], item: T, at: (item: T) => Instant): readonly T[] => {
  const index = items.findIndex((other) => at(other) > at(item))
  return index < 0 ? [...items, item] : items.toSpliced(index, 0, item)
}

/**
 * Static QR: a request takes the newest recent scan, or waits; a scan goes to the latest waiting
 * request, or waits. So no unmatched scan is ever recent enough for a waiting request.
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
        const scan = free.findLast((scan) => isRecentFor(scan, listener, at))
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
