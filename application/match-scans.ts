import type { Listener, Scan, ScanCommand, ScanEvent } from '../domain/merchant/scans.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { payments, scansOfShortlinks, shortlinks } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { StoreUnavailable } from './event-store.ts'
import { refuseDisabled } from './merchants.ts'
import { findRechecked, isPresent, type Find } from './find-state.ts'
import type { Caused, Context, Handle } from './handle.ts'
import { listOwn, type Share } from './share.ts'

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
  readonly share: Share
  readonly find: Find
  readonly pickUps: { due(limit: number): readonly Due[] }
  /** Keyed digest of the scan's token. */
  readonly tokenDigestOf: (scan: string) => string
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

const batchSize = 200

const merchantOf = ({ merchant }: Due): string | null => merchant

/** Transient failures stay due, and `work` retries them. */
const tolerateTransient = async <Done>(following: Promise<Done>): Promise<Done | undefined> => {
  try {
    return await following
  } catch (error) {
    const isConflict = error instanceof Refusal && error.code === 'conflicting_changes'
    if (!isConflict && !(error instanceof StoreUnavailable)) throw error
    return undefined
  }
}

const scanOf = async (find: Find, tid: string): Promise<string | undefined> => {
  const payment = await find(payments, tid, 'log')
  return payment.status === 'unrequested' ? undefined : payment.scan
}

/** The request that was picked up. */
type Picked = Promise<string | undefined>

/** The steps between a shortlink's stream and the payments' streams. */
const scanSteps = ({ handle, find }: Pick<Needs, 'handle' | 'find'>) => {
  const carryOut = async (shortlink: string, command: ScanCommand, context: Context): Picked => {
    const { events } = await handle(scansOfShortlinks, shortlink, command, context)
    return updatePayments(shortlink, events, context)
  }

  const updatePayments = async (
    shortlink: string,
    events: readonly ScanEvent[],
    context: Context,
  ): Picked => {
    let picked: string | undefined
    for (const event of events) picked = (await updatePayment(shortlink, event, context)) ?? picked
    return picked
  }

  const updatePayment = async (shortlink: string, event: ScanEvent, context: Context): Picked => {
    if (event.type !== 'ScanMatched') return undefined
    const { tid, payer, scan } = event.data
    const { at } = context
    try {
      await handle(payments, tid, { type: 'PickUpPayment', at, payer, scan }, context)
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'conflicting_changes') throw error
      // The payment was aborted, expired or picked up: the scan is free for the next request.
      return carryOut(shortlink, { type: 'EndAwaiting', at, tid }, context)
    }
    await handle(scansOfShortlinks, shortlink, { type: 'ConfirmMatch', tid, scan }, context)
    return tid
  }

  const doNext = async ({ tid, shortlink, stage }: Due, context: Context): Promise<unknown> => {
    const { at } = context
    switch (stage.type) {
      case 'requested': {
        const { listener } = stage
        // It may have been matched since the row was read.
        if ((await scanOf(find, tid)) !== undefined) return
        return carryOut(shortlink, { type: 'AwaitScan', at, listener }, context)
      }
      case 'matched': {
        const { scan, payer } = stage
        const event = { type: 'ScanMatched', data: { tid, scan, payer } } as const
        return updatePayment(shortlink, event, context)
      }
      case 'ended':
        return carryOut(shortlink, { type: 'EndAwaiting', at, tid }, context)
      case 'listening':
        return
    }
  }

  return { carryOut, updatePayments, doNext }
}

/**
 * Matches scans of shortlinks with payment requests (static QR). The shortlink's stream decides the
 * match; the payment's stream accepts or refuses it, and if refused the scan goes to the next
 * request. Any process can repeat every step; `work` finishes what a crash left.
 */
export const matchScans = (needs: Needs) => {
  const { handle, find, pickUps, tokenDigestOf, newId, outageOf } = needs
  const { carryOut, updatePayments } = scanSteps(needs)
  const { doNext } = scanSteps({ find, handle: needs.share.handle })
  const backOff = perKeyBackOff<Due>({ keyOf: ({ tid }) => tid, outageOf })

  return {
    awaitScan: async (shortlink: string, listener: Listener, context: Context): Promise<void> => {
      const command = { type: 'AwaitScan', at: context.at, listener } as const
      await tolerateTransient(carryOut(shortlink, command, context))
    },

    /**
     * Returns the scan's id, and the request that took it, if any. @throws Refusal
     * resource_is_unknown, merchant_is_disabled
     */
    scanShortlink: async (
      shortlink: string,
      by: Pick<Scan, 'payer' | 'argstring'>,
      { at, correlationId, traceparent }: Caused,
    ): Promise<{ readonly scan: string; readonly tid: string | null }> => {
      const entry = await findRechecked(find, shortlinks, shortlink, isPresent)
      if (entry.status !== 'present') return refuse('resource_is_unknown')
      const { merchant } = entry.data
      await refuseDisabled(find, merchant)
      const scan = { scan: newId(), ...by, scannedAt: at }
      const tokenDigest = tokenDigestOf(scan.scan)
      const actor = `payer:${by.payer}`
      const context = { at, merchant, actor, correlationId, traceparent }
      const command = { type: 'RecordScan', scan, tokenDigest } as const
      const { events } = await handle(scansOfShortlinks, shortlink, command, context)
      const picked = await tolerateTransient(updatePayments(shortlink, events, context))
      if (picked !== undefined) return { scan: scan.scan, tid: picked }
      for (const event of events)
        if (
          event.type === 'ScanMatched' &&
          (await scanOf(find, event.data.tid)) === event.data.scan
        )
          return { scan: scan.scan, tid: event.data.tid }
      return { scan: scan.scan, tid: null }
    },

    /** Finishes everything that is due. */
    work: async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
      for (;;) {
        const due = backOff.due(now, batchSize, listOwn<Due>(needs.share, merchantOf, pickUps.due))
        const correlationId = newId()
        for (const row of due) {
          if (stopped.aborted) break
          const { merchant } = row
          const context = { at: now, merchant, actor: 'daybook', correlationId }
          await backOff.attempt(row, now, () => doNext(row, context))
        }
        if (due.length < batchSize || stopped.aborted) return backOff.nextLook(null)
        await needs.caughtUp()
      }
    },
  }
}

export type ScanMatching = ReturnType<typeof matchScans>
