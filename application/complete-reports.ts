import type { Completion } from '../domain/accounting/completion.ts'
import { idIn, merchantAndIdIn, within } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { ledgers } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import { listOwn, type Share } from './share.ts'

type ClosingReport = {
  readonly ledgerStream: string
  readonly number: number
  readonly closedPosition: number
}

type Needs<Report extends ClosingReport> = {
  readonly share: Share
  readonly reports: {
    /** The next closed report of each ledger, starting with merchants after this id. */
    nextClosing(after: string, limit: number): readonly Report[]
  }
  readonly makeLogs: (report: Report) => Promise<Completion>
  readonly caughtUp: () => Promise<void>
  readonly now: () => Instant
  readonly newId: () => string
  readonly outageOf: OutageOf
}

const merchantOf = ({ ledgerStream }: ClosingReport): string =>
  merchantAndIdIn(idIn(ledgerStream))[0]

/**
 * Writes the logs of closed reports and records their sums, in order within a ledger, with
 * merchants taking turns. Safe to restart or run twice: the logs have the same bytes.
 */
export const completeReports = <Report extends ClosingReport>(needs: Needs<Report>) => {
  const { outageOf } = needs
  const backOff = perKeyBackOff<Report>({ keyOf: (report) => report.ledgerStream, outageOf })

  /** Merchant of the last completed report. */
  let lastMerchant = ''

  const complete = async (report: Report): Promise<void> => {
    const [merchant, id] = merchantAndIdIn(idIn(report.ledgerStream))
    lastMerchant = merchant
    const completion = await needs.makeLogs(report)
    await needs.share.handle(
      ledgers,
      within(merchant, id),
      { type: 'CompleteReport', report: report.number, completion },
      // Writing the log files takes a while.
      { at: needs.now(), merchant, actor: 'daybook', correlationId: needs.newId() },
    )
  }

  return async (now: Instant, stopped: AbortSignal): Promise<Instant | null> => {
    while (!stopped.aborted) {
      const next = (limit: number) => needs.reports.nextClosing(lastMerchant, limit)
      const [report] = backOff.due(now, 1, listOwn<Report>(needs.share, merchantOf, next))
      if (!report) break
      await backOff.attempt(report, now, () => complete(report))
      await needs.caughtUp()
    }
    return backOff.nextLook(null)
  }
}
