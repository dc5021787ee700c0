import { ledgers } from '../domain/aggregates.ts'
import { defaultLedger } from '../domain/accounting/ledger.ts'
import type { ScheduledClosing } from '../domain/calendar.ts'
import { within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { listOwn, type Share } from './share.ts'

type DueReport = {
  readonly merchant: string
  readonly ledger: string
  readonly closes: ScheduledClosing
  readonly dueAt: Instant
}

type OpenReport = {
  readonly currency: string
  readonly open: number
  readonly openedAt: Instant
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
    const { currency, open: report, openedAt } = row
    const id = within(merchant, ledger)
    const isImplied = ledger === defaultLedger
    const implied = isImplied ? { merchant, id: ledger, currency, description: null } : null
    const due = { closes, at: dueAt }
    const callbackUri = needs.callbackUriOf(merchant)
    const command = { type: 'CloseReport', report, openedAt, callbackUri, due, implied } as const
    const correlationId = needs.correlationIdOf(id, report)
    // Not before it was opened, even if the clock was set back in the meantime.
    const at = Math.max(now, openedAt)
    const context = { at, merchant, actor: 'daybook', correlationId }
    const { events } = await share.handle(ledgers, id, command, context)
    return events.length > 0
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
