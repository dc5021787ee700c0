import { ledgers } from '../domain/aggregates.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import type { ScheduledClosing } from '../domain/calendar.ts'
import { refuse } from '../domain/refusal.ts'
import { within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import type { Context, Handle } from './handle.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { listOwn, type Share } from './share.ts'

type DueReport = {
  readonly merchant: string
  readonly ledger: string
  readonly closes: ScheduledClosing
  readonly dueAt: Instant
}

type OpenReport = {
  readonly merchant: string
  readonly id: string
  readonly currency: string
  readonly open: number
  readonly openedAt: Instant
}

/** The default ledger exists without registration, in the merchant's currency. */
export const impliedBy = (row: Omit<OpenReport, 'open' | 'openedAt'> | undefined) => {
  if (row?.id !== defaultLedger) return null
  const { merchant, id, currency } = row
  return { merchant, id, currency, description: null }
}

type Closing = {
  readonly report: number
  readonly callbackUri: string | null
  /** Absent if it is closed by hand. */
  readonly due?: { readonly closes: ScheduledClosing; readonly at: Instant }
}

/** Closes a report, and returns whether it was open. @throws Refusal resource_is_unknown */
export const closeReport =
  (handle: Handle) =>
  async (row: OpenReport, closing: Closing, context: Context): Promise<boolean> => {
    const { merchant, id, open, openedAt } = row
    // The opening time of a report that opens right now is not known yet.
    if (closing.report > open) return refuse('resource_is_unknown')
    const command = { type: 'CloseReport', ...closing, openedAt, implied: impliedBy(row) } as const
    // Not before it was opened, even if the clock was set back in the meantime.
    const at = Math.max(context.at, openedAt)
    const { events } = await handle(ledgers, within(merchant, id), command, { ...context, at })
    return events.length > 0
  }

type Needs = {
  readonly share: Share
  readonly schedules: {
    due(now: Instant, limit: number): readonly DueReport[]
    nextDue(now: Instant): Instant | null
  }
  readonly ledgers: { find(merchant: string, id: string): OpenReport | undefined }
  /** The address for messages about resources without an address of their own. */
  readonly callbackUriOf: (merchant: string) => string | null
  /** The same whichever process closes the report. */
  readonly correlationIdOf: (ledger: string, report: number) => string
  readonly caughtUp: () => Promise<void>
  readonly outageOf: OutageOf
}

const batchSize = 200

const merchantOf = ({ merchant }: DueReport): string => merchant

const keyOf = ({ merchant, ledger }: DueReport): string => within(merchant, ledger)

/**
 * Closes due reports. One closing makes up for all missed while the service was down: a line
 * belongs to the report that was open when it was written. If two processes try, one closes the
 * report.
 */
export const closeReports = (needs: Needs) => {
  const { share, schedules, caughtUp, outageOf } = needs
  const backOff = perKeyBackOff<DueReport>({ keyOf, outageOf })

  /** Returns whether it is closed now. */
  const close = async ({ merchant, ledger, closes, dueAt }: DueReport, now: Instant) => {
    const row = needs.ledgers.find(merchant, ledger)
    if (!row) return false
    const { open: report } = row
    const callbackUri = needs.callbackUriOf(merchant)
    const correlationId = needs.correlationIdOf(within(merchant, ledger), report)
    const context = { at: now, merchant, actor: 'daybook', correlationId }
    const closing = { report, callbackUri, due: { closes, at: dueAt } }
    return closeReport(share.handle)(row, closing, context)
  }

  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const list = (limit: number) => schedules.due(now, limit)
      const batch = backOff.due(now, batchSize, listOwn(share, merchantOf, list))
      let closed = 0
      const closeOne = (report: DueReport) =>
        backOff.attempt(report, now, async () => {
          if (await close(report, now)) closed += 1
        })
      await Promise.all(batch.map(closeOne))
      await caughtUp()
      // The report was closed, or its schedule removed, after the row was read.
      if (closed === 0) break
    }
    return backOff.nextLook(schedules.nextDue(now))
  }
}
