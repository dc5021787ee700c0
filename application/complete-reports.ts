import type { Completion } from '../domain/accounting/completion.ts'
import { idIn, partsOf, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { ledgers } from './aggregates.ts'
import { eachByItself, type OutageOf } from './each-by-itself.ts'
import type { Handle } from './handle.ts'

type ClosingReport = {
  readonly ledgerStream: string
  readonly number: number
  readonly closedPosition: number
}

type Needs<Report extends ClosingReport> = {
  readonly handle: Handle
  readonly reports: {
    /** The next report of each ledger whose logs are to be made, the longest closed first. */
    nextClosing(limit: number): readonly Report[]
  }
  readonly makeLogs: (report: Report) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/**
 * Makes the logs of reports that were closed and records what they add up to, each once, and those of a ledger in order.
 * It begins again after a stop or a crash; a process that does the same at the same time makes the same bytes.
 */
export const completeReports = <Report extends ClosingReport>(needs: Needs<Report>) => {
  const { outageOf } = needs
  const completing = eachByItself<Report>({ keyOf: (report) => report.ledgerStream, outageOf })

  const complete = async (report: Report, at: Instant): Promise<void> => {
    const completion = await needs.makeLogs(report)
    const [merchant, id] = partsOf(idIn(report.ledgerStream))
    await needs.handle(
      ledgers,
      within(merchant, id),
      { type: 'CompleteReport', report: report.number, completion },
      { at, merchant, actor: 'daybook', correlationId: needs.newId() },
    )
  }

  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const [report] = completing.due(now, 1, needs.reports.nextClosing)
      if (!report) break
      await completing.attempt(report, now, () => complete(report, now))
      await needs.caughtUp()
    }
    return completing.nextLook(null)
  }
}
