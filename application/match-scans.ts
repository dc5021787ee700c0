import type { Listener, Scan, ScanCommand, ScanEvent } from '../domain/merchant/scans.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { payments, scansOfShortlinks, shortlinks } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { StoreUnavailable } from './event-store.ts'
import { findRechecked, isPresent } from './find-rechecked.ts'
import type { Context, Find, Handle } from './handle.ts'

type Due = {
  readonly tid: string
  readonly shortlink: string
  readonly merchant: string | null
  readonly stage:
    | { readonly type: 'requested'; readonly listener: Listener }
    | { readonly type: 'listening' }
    | { readonly type: 'matched'; readonly scan: string; readonly payer: string }
    | { readonly type: 'ended' }
}

type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly pickUps: { due(limit: number): readonly Due[] }
  /** Keyed digest of the token that a merchant gets for a scan. */
  readonly tokenDigestOf: (scan: string) => string
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

const batchSize = 200

/** What could not be done just now is due: `work` will do it, and whoever asked need not know. */
const tolerateTransient = async (following: Promise<void>): Promise<void> => {
  try {
    await following
  } catch (error) {
    const isConflict = error instanceof Refusal && error.code === 'conflicting_changes'
    if (!isConflict && !(error instanceof StoreUnavailable)) throw error
  }
}

/**
 * Brings scans of shortlinks and payment requests together (static-QR POS rules). Each shortlink's stream decides who
 * is matched with whom; the payment's stream decides whether it still wants it, and when not, the scan goes on to the
 * next. Every step can be repeated, by any process: what a crash leaves undone is due, and `work` does it.
 */
export const matchScans = (needs: Needs) => {
  const { handle, find, pickUps, tokenDigestOf, newId, outageOf } = needs
  const working = perKeyBackOff<Due>({ keyOf: ({ tid }) => tid, outageOf })

  const carryOut = async (
    shortlink: string,
    command: ScanCommand,
    context: Context,
  ): Promise<void> => {
    const { events } = await handle(scansOfShortlinks, shortlink, command, context)
    await tellPayments(shortlink, events, context)
  }

  const tellPayments = async (
    shortlink: string,
    events: readonly ScanEvent[],
    context: Context,
  ): Promise<void> => {
    for (const event of events) await tellPayment(shortlink, event, context)
  }

  const tellPayment = async (
    shortlink: string,
    event: ScanEvent,
    context: Context,
  ): Promise<void> => {
    if (event.type !== 'ScanMatched') return
    const { tid, payer, scan } = event.data
    const { at } = context
    try {
      await handle(payments, tid, { type: 'PickUpPayment', at, payer, scan }, context)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'conflicting_changes') throw error
      // It was aborted, has expired, or another scan was first: this one is free for the next request.
      return carryOut(shortlink, { type: 'EndAwaiting', at, tid }, context)
    }
    await handle(scansOfShortlinks, shortlink, { type: 'ConfirmMatch', tid, scan }, context)
  }

  /** The scan that a request has picked up. */
  const scanOf = async (tid: string): Promise<string | undefined> => {
    const payment = await find(payments, tid, 'log')
    return payment.status === 'unrequested' ? undefined : payment.scan
  }

  const doNext = async ({ tid, shortlink, stage }: Due, context: Context): Promise<void> => {
    const { at } = context
    switch (stage.type) {
      case 'requested': {
        const { listener } = stage
        // Since the row was read, it may have been given its scan.
        if ((await scanOf(tid)) !== undefined) return
        return carryOut(shortlink, { type: 'AwaitScan', at, listener }, context)
      }
      case 'matched': {
        const { scan, payer } = stage
        const event = { type: 'ScanMatched', data: { tid, scan, payer } } as const
        return tellPayment(shortlink, event, context)
      }
      case 'ended':
        return carryOut(shortlink, { type: 'EndAwaiting', at, tid }, context)
      case 'listening':
        return
    }
  }

  return {
    /** A request waits for a scan of the shortlink, from now on or with one that came shortly before. */
    awaitScan: (shortlink: string, listener: Listener, context: Context): Promise<void> =>
      tolerateTransient(
        carryOut(shortlink, { type: 'AwaitScan', at: context.at, listener }, context),
      ),

    /**
     * A payer scans a shortlink; answers the id of the scan, and the request that has picked it up by now.
     * @throws Refusal for a shortlink that is none.
     */
    scanShortlink: async (
      shortlink: string,
      by: Pick<Scan, 'payer' | 'argstring'>,
      { at, correlationId }: Pick<Context, 'at' | 'correlationId'>,
    ): Promise<{ readonly scan: string; readonly tid: string | null }> => {
      const entry = await findRechecked(find, shortlinks, shortlink, isPresent)
      if (entry.status !== 'present') return refuse('resource_is_unknown')
      const { merchant } = entry.data
      const scan = { scan: newId(), ...by, scannedAt: at }
      const tokenDigest = tokenDigestOf(scan.scan)
      const context = { at, merchant, actor: `payer:${by.payer}`, correlationId }
      const command = { type: 'RecordScan', scan, tokenDigest } as const
      const { events } = await handle(scansOfShortlinks, shortlink, command, context)
      await tolerateTransient(tellPayments(shortlink, events, context))
      for (const event of events)
        if (event.type === 'ScanMatched' && (await scanOf(event.data.tid)) === event.data.scan)
          return { scan: scan.scan, tid: event.data.tid }
      return { scan: scan.scan, tid: null }
    },

    /** Does all that is left to do. */
    work: async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
      for (;;) {
        const due = working.due(now, batchSize, pickUps.due)
        const correlationId = newId()
        for (const row of due) {
          if (stopped.aborted) break
          const { merchant } = row
          const context = { at: now, merchant, actor: 'daybook', correlationId }
          await working.attempt(row, now, () => doNext(row, context))
        }
        if (due.length < batchSize || stopped.aborted) return working.nextLook(null)
        await needs.caughtUp()
      }
    },
  }
}

export type ScanMatching = ReturnType<typeof matchScans>
