import { z } from 'zod'
import { nextTurn } from '../../application/time-budget.ts'
import { transactionKinds } from '../../domain/accounting/transaction-line.ts'
import { compiled } from '../../domain/compiled.ts'
import type { Queries } from '../../projections/read-models.ts'
import type { TransactionFilter } from '../../projections/transactions.ts'
import { anywhere, type TransactionPlace } from '../../projections/transaction-row.ts'
import { merchantPrefix, type Links } from '../addresses.ts'
import type { Names } from '../assets.ts'
import { callerOf, type Call } from '../call.ts'
import { cursorOf, cursorText, linkFrom, pageSizeText } from '../lists.ts'
import { preferred } from '../negotiation.ts'
import { type Route, routesOf } from '../route.ts'
import { dateTimeText, knownCurrencyCode, money, moneyIn } from '../wire.ts'
import { listDays, type Day } from './transaction-days.ts'
import {
  reportFinder,
  transactionCsv,
  transactionReply,
  transactionViews,
  type BookNeeds,
} from './transaction-reply.ts'

const readPlace = ([at, part = '']: readonly string[]): TransactionPlace | undefined => {
  const position = Number(at)
  return Number.isSafeInteger(position) ? { position, part } : undefined
}

const order = z.enum(['oldest', 'newest']).default('oldest')

const times = {
  since: dateTimeText.optional().meta({ description: 'From this time on.' }),
  until: dateTimeText.optional().meta({ description: 'Before this time.' }),
}

const reportShape = 'Must be the number of a report.'

const query = z.strictObject({
  order,
  size: pageSizeText,
  ledger: z.string().optional(),
  report: z
    .string()
    .regex(/^\d{1,10}$/, reportShape)
    .transform(Number)
    .pipe(z.int().min(1, reportShape))
    .optional(),
  pos_id: z.string().optional(),
  kind: z.enum(transactionKinds).optional(),
  currency: knownCurrencyCode.optional(),
  tid: z.string().optional(),
  pos_tid: z.string().optional(),
  capture_id: z.string().optional(),
  refund_id: z.string().optional(),
  settlement_id: z.string().optional().meta({ description: 'As the lines name it, or its `id`.' }),
  ...times,
  cursor: cursorText(readPlace),
})

type Query = z.output<typeof query>

const listReply = z
  .object({
    transactions: z.array(transactionReply),
    next: z.string().nullable(),
    next_since: z.string().nullable().meta({
      description: 'At the end of `oldest`: the `cursor` from which later lines follow.',
    }),
  })
  .meta({ id: 'TransactionList' })

const day = z
  .object({
    date: z.string().meta({ description: 'YYYY-MM-DD, in the time zone of the merchant.' }),
    currency: z.string(),
    gross: money,
    fee: money,
    interchange: money,
    vat: money,
    net: money,
    count: z.int(),
  })
  .meta({ id: 'TransactionDay' })

const readDay = ([date = '', currency = '']: readonly string[]) =>
  /^\d{4}-\d\d-\d\d$/.test(date) ? { date, currency } : undefined

const dayQuery = z.strictObject({
  order,
  size: pageSizeText,
  ledger: z.string().optional(),
  currency: knownCurrencyCode.optional(),
  ...times,
  cursor: cursorText(readDay),
})

const dayListReply = z
  .object({ days: z.array(day), next: z.string().nullable() })
  .meta({ id: 'TransactionDayList' })

type TransactionNeeds = BookNeeds & {
  readonly names: Names
  readonly links: Links
  readonly caughtUp: () => Promise<void>
  readonly transactions: Queries['accounting']['transactions']
  readonly transactionSums: Queries['accounting']['transactionSums']
  /** Ids of payments and permission requests, by points of sale of the merchant. */
  readonly idsNamed: (
    merchant: string,
    posTid: string,
    posId: string | undefined,
  ) => readonly string[]
  readonly timeZoneOf: (merchant: string) => string
  /** A cell that no spreadsheet runs as a formula. */
  readonly textCell: (text: string | null) => string
}

/** Before all lines. */
const start: TransactionPlace = { position: 0, part: '' }

const noSettlement = { settlementId: '', after: 0, before: 0 }

/** The lines that a settlement took, by its id in logs or in the interface. */
export const settlementLines = (
  { settlements }: Pick<BookNeeds, 'settlements'>,
  merchant: string,
  id: string,
) => {
  const row = /^\d{1,10}$/.test(id)
    ? settlements.find(merchant, Number(id))
    : settlements.findById(id)
  if (!row?.made || row.merchant !== merchant) return noSettlement
  const { settlementId, serial, startedPosition: before } = row
  const earlier = settlements.find(merchant, serial - 1)
  return { settlementId, after: earlier?.startedPosition ?? anywhere.after, before }
}

/** Those that have both ids, where both are asked for. */
const idsRequested = (needs: TransactionNeeds, merchant: string, input: Query) => {
  const { tid, pos_tid: posTid, pos_id: posId } = input
  if (posTid === undefined) return tid === undefined ? undefined : [tid]
  const named = needs.idsNamed(merchant, posTid, posId)
  return tid === undefined ? named : named.filter((one) => one === tid)
}

const filterOf = (needs: TransactionNeeds, merchant: string, input: Query): TransactionFilter => {
  const { report, settlement_id: settlement } = input
  const { find } = reportFinder(needs, merchant)
  const known = new Map<string, ReturnType<typeof find>>()
  const reportIn = (number: number) => (ledger: string) => {
    if (!known.has(ledger)) known.set(ledger, find(ledger, number))
    return known.get(ledger)
  }
  return {
    merchant,
    order: input.order,
    ledger: input.ledger,
    reportIn: report === undefined ? undefined : reportIn(report),
    posId: input.pos_id,
    kind: input.kind,
    currency: input.currency,
    tids: idsRequested(needs, merchant, input),
    captureId: input.capture_id,
    refundId: input.refund_id,
    settlement: settlement === undefined ? undefined : settlementLines(needs, merchant, settlement),
    since: input.since,
    until: input.until,
  }
}

const listPath = `${merchantPrefix}/transaction/`

const { get } = routesOf({ access: 'SECRET', group: 'Ledger' })

const csv = 'text/csv'

const list =
  (needs: TransactionNeeds) =>
  async (call: Call<unknown, Query>): Promise<z.input<typeof listReply>> => {
    const { merchant } = callerOf(call)
    await needs.caughtUp()
    const { cursor = null, size, order } = call.query
    const filter = filterOf(needs, merchant, call.query)
    const { rows, next } = await needs.transactions.page(filter, cursor, size, nextTurn)
    const text = ({ position, part }: TransactionPlace) => cursorOf([position, part])
    return {
      transactions: [...transactionViews(needs, merchant, rows)],
      next: next && linkFrom(needs.links, call, listPath, text(next)),
      next_since: next === null && order === 'oldest' ? text(rows.at(-1) ?? cursor ?? start) : null,
    }
  }

const dayView = ({ date, currency, count, net, ...sum }: Day): z.input<typeof day> => {
  const amount = moneyIn(currency)
  return {
    date,
    currency,
    gross: amount(sum.gross),
    fee: amount(sum.fee),
    interchange: amount(sum.interchange),
    vat: amount(sum.vat),
    net: amount(net),
    count,
  }
}

/** Lines that move money (`GET /merchant/v1/transaction/`). */
export const transactionRoutes = (needs: TransactionNeeds): Route[] => {
  const { names, links, caughtUp } = needs
  const listPage = list(needs)
  return [
    get(listPath, {
      summary: 'List the lines that move money',
      description:
        'All parts of the query must fit. `next` never skips or repeats a line, whatever is ' +
        'written meanwhile. As CSV, `next` is a Link header.',
      query,
      success: 'raw',
      reply: listReply,
      replyTypes: [names.json, 'application/json', names.csv, csv],
      handle: async (call) => {
        const page = await listPage(call)
        const type = preferred(call.accept, [names.json, 'application/json', names.csv, csv])
        const headers = { 'Cache-Control': 'no-store' }
        if (type.endsWith('json')) {
          const body = JSON.stringify(compiled(listReply).parse(page))
          return { type: names.json, body, headers }
        }
        return {
          type: `${type}; charset=utf-8`,
          body: transactionCsv(page.transactions, needs.textCell),
          headers: { ...headers, ...(page.next && { Link: `<${page.next}>; rel="next"` }) },
        }
      },
    }),
    get(`${listPath}days/`, {
      summary: 'List days with the sums of their lines',
      query: dayQuery,
      reply: dayListReply,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        await caughtUp()
        const { cursor: behind, ...filter } = call.query
        const zone = needs.timeZoneOf(merchant)
        const { rows, next } = await listDays(needs, { ...filter, merchant, zone, behind })
        const place = next && cursorOf([next.date, next.currency])
        return {
          days: rows.map(dayView),
          next: place && linkFrom(links, call, `${listPath}days/`, place),
        }
      },
    }),
  ]
}
