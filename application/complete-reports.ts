import type { Completion } from '../domain/accounting/completion.ts'
import { idIn, merchantAndIdIn, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { ledgers } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Handle } from './handle.ts'

type ClosingReport = {
  readonly ledgerStream: string
  readonly number: number
  readonly closedPosition: number
}

type Needs<Report extends ClosingReport> = {
  readonly handle: Handle
  readonly reports: {
    /** The next report of each ledger whose logs are to be made, those of the merchants after one first, by their ids. */
    nextClosing(after: string, limit: number): readonly Report[]
  }
  readonly makeLogs: (report: Report) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/**
 * Makes the logs of reports that were closed and records what they add up to, each once, and those of a ledger in order.
 * Merchants take turns, however many reports one of them has closed.
 * It begins again after a stop or a crash; a process that does the same at the same time makes the same bytes.
 */
export const completeReports = <Report extends ClosingReport>(needs: Needs<Report>) => {
  const { outageOf } = needs
  const completing = perKeyBackOff<Report>({ keyOf: (report) => report.ledgerStream, outageOf })

  /** Who had the last turn. */
  let latest = ''

  const complete = async (report: Report, at: Instant): Promise<void> => {
    const [merchant, id] = merchantAndIdIn(idIn(report.ledgerStream))
    latest = merchant
    const completion = await needs.makeLogs(report)
    await needs.handle(
      ledgers,
      within(merchant, id),
      { type: 'CompleteReport', report: report.number, completion },
      { at, merchant, actor: 'daybook', correlationId: needs.newId() },
    )
  }

  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const next = (limit: number) => needs.reports.nextClosing(latest, limit)
      const [report] = completing.due(now, 1, next)
      if (!report) break
      await completing.attempt(report, now, () => complete(report, now))
      await needs.caughtUp()
    }
    return completing.nextLook(null)
  }
}
