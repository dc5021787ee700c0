import { z } from 'zod'
import type { Queries } from '../../projections/read-models.ts'
import { type Signing, callbackUriText } from '../addresses.ts'
import { listPage, listQuery, listReply } from '../lists.ts'
import type { Route } from '../route.ts'
import { closeReport } from '../../application/close-reports.ts'
import { contextOf } from '../call.ts'
import { ledgerParams, ledgersOfCaller, ofLedgers, type LedgerNeeds } from './ledger.ts'
import {
  ledgerListPath,
  reportListPath,
  reportPath,
  reportReply,
  reportView,
  readReport,
} from './report-reply.ts'

const reportClosing = z
  .object({ callback_uri: callbackUriText.nullable().default(null) })
  .meta({ id: 'ReportClosing' })

export const reportParams = ledgerParams.extend({
  report_id: z.string().regex(/^[1-9]\d{0,9}$/),
})

export type ReportNeeds = LedgerNeeds & Signing & Pick<Queries['accounting'], 'reports'>

/** Reports of ledgers (interface 8.2). */
export const reportRoutes = (needs: ReportNeeds): Route[] => {
  const { links, reports } = needs
  const { find } = ledgersOfCaller(needs)

  return [
    ofLedgers.get(`${ledgerListPath}:ledger_id/report/`, {
      summary: 'List the reports of a ledger, the open one first',
      params: ledgerParams,
      query: listQuery,
      reply: listReply,
      handle: async (call) => {
        const { id, open } = await find(call, call.params.ledger_id)
        const numbered = (before: number, limit: number) => {
          const first = Math.min(open, before - 1)
          return Array.from({ length: Math.min(limit, Math.max(first, 0)) }, (_, index) => ({
            position: first - index,
          }))
        }
        const pathOf = ({ position }: { position: number }) => reportPath(id, position)
        return listPage(links, reportListPath(id), call.query.next, numbered, pathOf)
      },
    }),
    ofLedgers.get(`${ledgerListPath}:ledger_id/report/:report_id/`, {
      summary: 'Read a report',
      params: reportParams,
      reply: reportReply,
      handle: async (call) => {
        const row = await find(call, call.params.ledger_id)
        return reportView(needs, readReport(reports, row, Number(call.params.report_id)), call.at)
      },
    }),
    ofLedgers.put(`${ledgerListPath}:ledger_id/report/:report_id/`, {
      summary: 'Close the open report of a ledger',
      description:
        'The next one is open from the same instant. The summary and the logs follow; then ' +
        '`report_closed` is sent to the callback_uri. Closing a closed report again changes ' +
        'nothing.',
      params: reportParams,
      body: reportClosing,
      handle: async (call) => {
        const row = await find(call, call.params.ledger_id)
        const report = Number(call.params.report_id)
        const closing = { report, callbackUri: call.body.callback_uri }
        await closeReport(needs.handle)(row, closing, contextOf(call))
      },
    }),
  ]
}
