import type { Completion } from '../domain/accounting/ledger.ts'
import { idIn, partsOf, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { ledgers } from './aggregates.ts'
import type { Handle } from './handle.ts'

export type ClosingReport = {
  readonly ledgerStream: string
  readonly number: number
  readonly closedPosition: number
}

type Needs<Report extends ClosingReport> = {
  readonly handle: Handle
  readonly reports: {
    /** Closed reports whose logs are to be made, the longest closed first. */
    closing(limit: number): readonly Report[]
  }
  readonly makeLogs: (report: Report) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
}

/**
 * Makes the logs of reports that were closed and records what they add up to, each once. It begins again after a stop or
 * a crash; a process that does the same at the same time makes the same bytes.
 */
export const completeReports =
  <Report extends ClosingReport>(needs: Needs<Report>) =>
  async (now: Instant, stopped: AbortSignal): Promise<null> => {
    while (!stopped.aborted) {
      const [report] = needs.reports.closing(1)
      if (!report) return null
      const completion = await needs.makeLogs(report)
      const [merchant, id] = partsOf(idIn(report.ledgerStream))
      await needs.handle(
        ledgers,
        within(merchant, id),
        { type: 'CompleteReport', report: report.number, completion },
        { at: now, merchant, actor: 'daybook', correlationId: needs.newId() },
      )
      await needs.caughtUp()
    }
    return null
  }
