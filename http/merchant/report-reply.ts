import { z } from 'zod'
import type { Completion } from '../../domain/accounting/completion.ts'
import type { Instant } from '../../domain/time.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import { dateTime } from '../wire.ts'
import { logLink } from './log.ts'
import { countersReply, countersView, summaryReply, summaryView } from './summary-reply.ts'

export const ledgerListPath = `${merchantPrefix}/ledger/`
export const ledgerPath = (id: string): string => `${ledgerListPath}${encodeURIComponent(id)}/`
export const reportListPath = (ledger: string): string => `${ledgerPath(ledger)}report/`
export const reportPath = (ledger: string, report: number | string): string =>
  `${reportListPath(ledger)}${report}/`

/** Of a payment, report or settlement at a path. */
export const proofPath = (path: string): string => `${path}proof/`

const logUris = z
  .array(z.string())
  .meta({ description: 'Signed links, valid for 30 days and renewed by each GET.' })

export const logsReply = { transaction_log_uris: logUris, scope_log_uris: logUris }

/** Absent in documents of before there was a tree, which never change. */
export const logRangeReply = {
  log_range: z
    .object({ from: z.int(), to: z.int() })
    .optional()
    .meta({
      description:
        'The entries of the log that it covers, the last one excepted. The next report or ' +
        'settlement begins with that one.',
    }),
  checkpoint: z.object({ size: z.int(), root: z.string() }).optional().meta({
    description: 'Of the log up to there, which every later signed checkpoint continues.',
  }),
  proof_uri: z
    .string()
    .optional()
    .meta({ description: 'The receipt: the proofs of all its events.' }),
}

export const logRangeView = (
  { links }: Pick<Signing, 'links'>,
  { logRange }: Partial<Completion>,
  path: string,
) =>
  logRange && {
    log_range: { from: logRange.from, to: logRange.to },
    checkpoint: { size: logRange.to, root: logRange.root },
    proof_uri: links.inBody(proofPath(path)),
  }

/** A report of a ledger; also the object of `report_closed`. */
export const reportReply = z
  .object({
    id: z.string().meta({ description: '1, 2, 3 … in its ledger.' }),
    status: z.enum(['open', 'closing', 'closed']),
    date_created: dateTime,
    time_closed: dateTime.nullable(),
    callback_uri: z.string().nullable(),
    previous_report_uri: z.string().nullable(),
    report_summary: z
      .array(summaryReply)
      .meta({ description: 'So far, while the report is open or closing.' }),
    ...countersReply,
    ...logsReply,
    ...logRangeReply,
  })
  .meta({ id: 'Report' })

export type ShownReport = {
  readonly ledger: string
  readonly number: number
  readonly status: 'open' | 'closing' | 'closed'
  readonly openedAt: Instant
  readonly closedAt: Instant | null
  readonly callbackUri: string | null
  /** So far, or final once closed. */
  readonly sums: Pick<Completion, 'counters' | 'totals'> & Partial<Completion>
}

/** Links to logs are valid from the given instant. */
export const reportView = (
  signing: Signing,
  report: ShownReport,
  from: Instant,
): z.input<typeof reportReply> => {
  const { ledger, number, sums } = report
  const linksTo = (files: Completion['transactionLogs'] = []) =>
    files.map(({ sha256 }) => logLink(signing, sha256, from))
  return {
    id: String(number),
    status: report.status,
    date_created: report.openedAt,
    time_closed: report.closedAt,
    callback_uri: report.callbackUri,
    previous_report_uri: number > 1 ? signing.links.inBody(reportPath(ledger, number - 1)) : null,
    report_summary: sums.totals.map(summaryView),
    ...countersView(sums.counters),
    transaction_log_uris: linksTo(sums.transactionLogs),
    scope_log_uris: linksTo(sums.scopeLogs),
    ...logRangeView(signing, sums, reportPath(ledger, number)),
  }
}
