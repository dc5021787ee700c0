import { z } from 'zod'
import { ledgers } from '../../application/aggregates.ts'
import type { Handle } from '../../application/handle.ts'
import { defaultLedger, type LedgerCommand } from '../../domain/accounting/ledger.ts'
import { refuse } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import type { ReportRow } from '../../projections/reports.ts'
import type { Signing } from '../addresses.ts'
import { listPage, listQuery, listReply, listRoute } from '../lists.ts'
import { callerOf, contextOf, route, type Call, type Route } from '../route.ts'
import { callbackUriText, currencyCode } from '../wire.ts'
import {
  ledgerListPath,
  ledgerPath,
  reportListPath,
  reportPath,
  reportReply,
  reportView,
  type ShownReport,
} from './report-reply.ts'

const ledgerId = z
  .string()
  .regex(/^(?!\.+$)[a-zA-Z0-9_.-]{1,100}$/, 'Letters, digits and _ . -, at most 100.')
const description = z.string().max(1000).nullable()

const ledgerInput = z
  .object({
    id: ledgerId.optional().meta({ description: 'Made by the service when it is absent.' }),
    currency: currencyCode,
    description: description.default(null),
  })
  .meta({ id: 'LedgerInput' })

const ledgerUpdate = z
  .object({ description })
  .partial()
  .meta({ id: 'LedgerUpdate', description: 'What is absent stays as it is; null takes it away.' })

const ledgerReply = z
  .object({
    id: z.string(),
    currency: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    open_report_uri: z.string(),
    last_closed_report_uri: z.string().nullable(),
  })
  .meta({ id: 'Ledger' })

const reportClosing = z
  .object({ callback_uri: callbackUriText.nullable().default(null) })
  .meta({ id: 'ReportClosing' })

const ledgerParams = z.object({ ledger_id: z.string() })
const reportParams = z.object({
  ledger_id: z.string(),
  report_id: z.string().regex(/^[1-9]\d{0,9}$/),
})

export type LedgerNeeds = Signing & {
  readonly handle: Handle
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly ledgers: {
    find(merchant: string, id: string): LedgerRow | undefined
    list(merchant: string, before: number, limit: number): readonly LedgerRow[]
  }
  readonly reports: {
    find(merchant: string, ledger: string, number: number): ReportRow | undefined
  }
}

/** Ledgers and their reports (the document's `/ledger/`). */
export const ledgerRoutes = (needs: LedgerNeeds): Route[] => {
  const { handle, links, caughtUp, ledgers: rows, reports } = needs
  const group = 'Ledger'

  const find = async (merchant: string, id: string): Promise<LedgerRow> => {
    await caughtUp()
    return rows.find(merchant, id) ?? refuse('resource_is_unknown')
  }

  /** The default ledger is there without having been registered, with the currency of its merchant. */
  const impliedBy = (row: LedgerRow | undefined) => {
    if (row?.id !== defaultLedger) return null
    const { merchant, id, currency } = row
    return { merchant, id, currency, description: null }
  }

  const change = async (call: Call, id: string, command: LedgerCommand): Promise<void> => {
    await handle(ledgers, within(callerOf(call).merchant, id), command, contextOf(call))
  }

  const shownReport = (row: LedgerRow, number: number): ShownReport => {
    const { merchant, id: ledger, open, openedAt, counters, totals } = row
    if (number === open) {
      const sums = { counters, totals: [...totals] }
      const nothing = { closedAt: null, callbackUri: null }
      return { ledger, number, status: 'open', openedAt, ...nothing, sums }
    }
    const closed = reports.find(merchant, ledger, number) ?? refuse('resource_is_unknown')
    const { completion, closedAt, callbackUri } = closed
    const sums = completion ?? { counters: {}, totals: [] }
    const status = completion ? 'closed' : 'closing'
    return { ledger, number, status, openedAt: closed.openedAt, closedAt, callbackUri, sums }
  }

  return [
    listRoute({
      path: ledgerListPath,
      access: 'SECRET',
      group,
      summary: 'List the ledgers',
      links,
      caughtUp,
      list: (merchant, before, limit) => rows.list(merchant, before, limit),
      pathOf: ({ id }) => ledgerPath(id),
    }),
    route({
      method: 'POST',
      path: ledgerListPath,
      access: 'SECRET',
      group,
      summary: 'Register a ledger',
      description: 'The ledger `default` is there already.',
      body: ledgerInput,
      success: 'created',
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const { id = needs.newId(), currency, description } = call.body
        await caughtUp()
        const implied = impliedBy(rows.find(merchant, id))
        const data = { merchant, id, currency, description }
        await change(call, id, { type: 'RegisterLedger', data, implied })
        return { location: links.full(ledgerPath(id)) }
      },
    }),
    route({
      method: 'GET',
      path: `${ledgerListPath}:ledger_id/`,
      access: 'SECRET',
      group,
      summary: 'Read a ledger',
      params: ledgerParams,
      success: 'value',
      reply: ledgerReply,
      handle: async (call) => {
        const row = await find(callerOf(call).merchant, call.params.ledger_id)
        const { id, currency, description, enabled, open, completed } = row
        return {
          ...{ id, currency, description, enabled },
          open_report_uri: links.inBody(reportPath(id, open)),
          last_closed_report_uri: completed > 0 ? links.inBody(reportPath(id, completed)) : null,
        }
      },
    }),
    route({
      method: 'PUT',
      path: `${ledgerListPath}:ledger_id/`,
      access: 'SECRET',
      group,
      summary: 'Describe a ledger',
      params: ledgerParams,
      body: ledgerUpdate,
      success: 'nothing',
      handle: async (call) => {
        const row = await find(callerOf(call).merchant, call.params.ledger_id)
        const { description = row.description } = call.body
        await change(call, row.id, { type: 'DescribeLedger', description, implied: impliedBy(row) })
      },
    }),
    route({
      method: 'DELETE',
      path: `${ledgerListPath}:ledger_id/`,
      access: 'SECRET',
      group,
      summary: 'Disable a ledger',
      description: 'Running payments still post to it; new requests that name it are refused.',
      params: ledgerParams,
      success: 'nothing',
      handle: async (call) => {
        const row = await find(callerOf(call).merchant, call.params.ledger_id)
        await change(call, row.id, { type: 'DisableLedger', implied: impliedBy(row) })
      },
    }),
    route({
      method: 'GET',
      path: `${ledgerListPath}:ledger_id/report/`,
      access: 'SECRET',
      group,
      summary: 'List the reports of a ledger, the open one first',
      params: ledgerParams,
      query: listQuery,
      success: 'value',
      reply: listReply,
      handle: async (call) => {
        const { id, open } = await find(callerOf(call).merchant, call.params.ledger_id)
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
    route({
      method: 'GET',
      path: `${ledgerListPath}:ledger_id/report/:report_id/`,
      access: 'SECRET',
      group,
      summary: 'Read a report',
      params: reportParams,
      success: 'value',
      reply: reportReply,
      handle: async (call) => {
        const row = await find(callerOf(call).merchant, call.params.ledger_id)
        return reportView(needs, shownReport(row, Number(call.params.report_id)), call.at)
      },
    }),
    route({
      method: 'PUT',
      path: `${ledgerListPath}:ledger_id/report/:report_id/`,
      access: 'SECRET',
      group,
      summary: 'Close the open report of a ledger',
      description:
        'The next one is open from the same instant. The summary and the logs follow; then `report_closed` is sent to ' +
        'the callback_uri. Closing a closed report again changes nothing.',
      params: reportParams,
      body: reportClosing,
      success: 'nothing',
      handle: async (call) => {
        const row = await find(callerOf(call).merchant, call.params.ledger_id)
        const report = Number(call.params.report_id)
        const { callback_uri: callbackUri } = call.body
        const { openedAt } = row
        const closing = { type: 'CloseReport', report, openedAt, callbackUri } as const
        await change(call, row.id, { ...closing, implied: impliedBy(row) })
      },
    }),
  ]
}
