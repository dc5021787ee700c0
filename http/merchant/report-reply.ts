import { z } from 'zod'
import type { Completion } from '../../domain/accounting/completion.ts'
import type { Instant } from '../../domain/time.ts'
import { merchantPrefix, type Signing } from '../addresses.ts'
import { dateTime, money, moneyIn } from '../wire.ts'
import { logLink } from './log.ts'
import { refuse } from '../../domain/refusal.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { ReportRow } from '../../projections/reports.ts'
import {
  type Counters,
  feeTypes,
  type Total,
  totalGross,
  totalNet,
} from '../../domain/accounting/totals.ts'

export const fee = z
  .object({ type: z.enum(feeTypes), amount: money })
  .meta({ id: 'Fee', description: 'A fee that is not zero; interchange among them.' })

/** Totals of lines per currency and tax code. */
export const summaryReply = z
  .object({
    currency: z.string(),
    taxcode: z.string(),
    gross: money,
    amount_total: money,
    additional_amount_total: money,
    fees: z.array(fee),
    interchange: money.meta({ description: 'The same figure as among `fees`.' }),
    net: money.meta({ description: 'Gross less all fees.' }),
  })
  .meta({ id: 'Summary' })

export const summaryView = (total: Total): z.input<typeof summaryReply> => {
  const { currency, taxcode, fees } = total
  const amount = moneyIn(currency)
  return {
    currency,
    taxcode,
    gross: amount(totalGross(total)),
    amount_total: amount(total.amount),
    additional_amount_total: amount(total.additionalAmount),
    fees: feeTypes.flatMap((type) => {
      const sum = fees[type]
      return sum === undefined ? [] : [{ type, amount: amount(sum) }]
    }),
    interchange: amount(fees.interchange ?? '0'),
    net: amount(totalNet(total)),
  }
}

export const count = z.int().nonnegative()

/** Each counts the log lines of one action. */
export const countersReply = {
  payment_request_count: count,
  payment_auth_count: count,
  payment_expire_count: count.meta({
    description: 'Without authorisations of which a part was captured: these are released.',
  }),
  payment_capture_count: count,
  payment_refund_count: count,
  payment_release_count: count.meta({
    description: 'With what is left of partly captured authorisations when these expire.',
  }),
  payment_fail_count: count,
  payment_abort_count: count,
  permission_request_count: count,
  permission_answered_count: count,
  permission_fail_count: count,
}

export const countersView = (counters: Counters) => ({
  payment_request_count: counters.request ?? 0,
  payment_auth_count: counters.auth ?? 0,
  payment_expire_count: counters.expire ?? 0,
  payment_capture_count: counters.capture ?? 0,
  payment_refund_count: counters.refund ?? 0,
  payment_release_count: counters.release ?? 0,
  payment_fail_count: counters.fail ?? 0,
  payment_abort_count: counters.abort ?? 0,
  permission_request_count: counters.permission_request ?? 0,
  permission_answered_count: counters.permission_answered ?? 0,
  permission_fail_count: counters.permission_fail ?? 0,
})

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

export type ReportView = {
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
  report: ReportView,
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

export type Reports = {
  find(merchant: string, ledger: string, number: number): ReportRow | undefined
}

/** The open report with its sums so far, or a closed one. @throws Refusal resource_is_unknown */
export const readReport = (reports: Reports, row: LedgerRow, number: number): ReportView => {
  const { merchant, id: ledger, open, openedAt, counters, totals } = row
  if (number === open) {
    const sums = { counters, totals: [...totals] }
    const nothing = { closedAt: null, callbackUri: null }
    return { ledger, number, status: 'open', openedAt, ...nothing, sums }
  }
  const closed = reports.find(merchant, ledger, number) ?? refuse('resource_is_unknown')
  const { completion, closedAt, callbackUri } = closed
  const known = row.closingSums.find(({ report }) => report === number)
  const sums = completion ?? {
    counters: known?.counters ?? {},
    totals: [...(known?.totals ?? [])],
  }
  const status = completion ? 'closed' : 'closing'
  return { ledger, number, status, openedAt: closed.openedAt, closedAt, callbackUri, sums }
}
