import { dateTimeIn } from '../../application/date-time.ts'
import { feeTypes, totalGross, totalNet } from '../../domain/accounting/totals.ts'
import { ledgers } from '../../domain/aggregates.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { within } from '../../domain/stream.ts'
import { z } from 'zod'
import { type Call, searchOf } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { closeReport, impliedBy } from '../../application/close-reports.ts'
import { ledgerUpdate } from '../../http/merchant/ledger.ts'
import type { ReportView } from '../../http/merchant/report-reply.ts'
import { plainForm, anyText, typed } from '../ui/fields.tsx'
import type { Visits } from '../payer/session.tsx'
import type { Route } from '../../http/route.ts'
import { contextOfStaff, type PageOrReply } from './guard.ts'
import { fileReply, openFileReply } from './money-files.tsx'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import { reportHref, ledgerHref } from './money-parts.tsx'
import { downloading, fileName, ledgerParams, moneyRoot, number, seeing } from './money-places.ts'
import { openFilesOf, reportOf, reportPage } from './money-report.tsx'
import type { PortalVisitor, PortalPage } from './page.tsx'
import type { PortalPages } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { LedgerRow } from '../../projections/ledgers.ts'
import { ledgerOf, ledgerPage } from './money-ledger.tsx'

export const newest = Number.MAX_SAFE_INTEGER

/** As the API takes them. */
export const changes = ledgerUpdate.pick({ closes: true, description: true })

export const { closes } = changes.shape

export const ledgerForm = plainForm.extend({
  closes,
  description: typed('What the ledger is for; empty for none.').optional(),
})

/** The form once more, with what is wrong. */
export const againWith =
  (needs: MoneyNeeds) =>
  (visitor: PortalVisitor, row: LedgerRow, body: FormOf<typeof ledgerForm>): PortalPage => {
    const description = fieldOf(body, 'description')
    const isDescription = changes.shape.description.safeParse(description).success
    const { wrongDescription } = textsIn[visitor.language].money
    const form = {
      closes: closes.safeParse(fieldOf(body, 'closes')).data ?? row.closes,
      description,
      problems: isDescription ? {} : { description: wrongDescription },
    }
    return ledgerPage(needs, visitor, row, { before: newest, isSaved: false, form })
  }

/** A ledger with its reports, and when they close by themselves. */
export const ledgerRoutes = (
  needs: MoneyNeeds,
  visits: Visits,
  { page, form }: PortalPages,
): Route[] => {
  const again = againWith(needs)
  const place = { path: `${moneyRoot}/ledgers/:ledger`, params: ledgerParams }
  return [
    page(
      {
        ...seeing,
        ...place,
        summary: 'A ledger: all its reports, and when they close',
        ownQuery: z.object({
          before: anyText('Reports before this number.'),
          saved: anyText('It was changed.'),
        }),
      },
      async (visitor, call) => {
        const search = searchOf(call)
        const before = Number(search.get('before') ?? '')
        return ledgerPage(needs, visitor, ledgerOf(needs, visitor, call.params.ledger), {
          before: Number.isSafeInteger(before) && before > 1 ? before : newest,
          isSaved: search.has('saved'),
        })
      },
    ),
    form(
      {
        ...seeing,
        ...place,
        action: 'close_report',
        summary: 'Change when reports close by themselves, or what a ledger is for',
        ownForm: ledgerForm,
      },
      async (visitor, call) => {
        const row = ledgerOf(needs, visitor, call.params.ledger)
        const { body } = call
        const changed = changes.safeParse({
          closes: fieldOf(body, 'closes') || undefined,
          description:
            body.description === undefined ? undefined : fieldOf(body, 'description') || null,
        })
        if (!changed.success) return again(visitor, row, body)
        const command = { type: 'ChangeLedger', ...changed.data, implied: impliedBy(row) } as const
        const key = within(row.merchant, row.id)
        await needs.handle(ledgers, key, command, contextOfStaff(call, visitor))
        return visits.go(visitor, `${ledgerHref(visitor, row.id)}?saved`)
      },
    ),
  ]
}

export const reportParams = ledgerParams.extend({ report: number })

export const summaryOf = ({ sums }: ReportView, { language }: PortalVisitor): Sheet => {
  const texts = textsIn[language].money
  const rows = sums.totals.flatMap((total) => {
    const { currency, taxcode, fees } = total
    const amount = (sum: string) => Number(sum) / 10 ** decimalsOf(currency)
    return [
      [texts.description, currency, taxcode],
      [texts.turnoverLess, amount(totalGross(total)), null],
      ...feeTypes.flatMap((type) => {
        const fee = fees[type]
        return fee === undefined ? [] : [[texts[`fee_${type}`], -amount(fee), null]]
      }),
      [texts.net, amount(totalNet(total)), null],
    ]
  })
  return { name: texts.summary, rows }
}

/** Marks the sums of an open report as such. */
export const asOf = (
  { name, rows = [] }: Sheet,
  at: Instant,
  { language, shop }: PortalVisitor,
): Sheet => {
  const time = `${dateTimeIn(shop.timeZone)(at)} (${shop.timeZone})`
  return { name, rows: [[textsIn[language].money.sumsSoFar({ time })], ...rows] }
}

export type FileParams = { readonly ledger: string; readonly report: string; readonly file: string }

/** A log of a report; while it is open, as far as it is. */
export const logOf = (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  { at, params: { ledger, report, file } }: Pick<Call<FileParams>, 'at' | 'params'>,
): Promise<PageOrReply> => {
  const { view } = reportOf(needs, visitor, ledger, report)
  const { merchant, timeZone } = visitor.shop
  const title = `${ledger}-report-${report}`
  const summary = summaryOf(view, visitor)
  if (view.status === 'closing') return refuse('resource_is_unknown')
  if (view.status === 'closed')
    return fileReply(needs, visitor, file, { logs: view.sums, title, summary })
  const before = needs.reports.find(merchant, ledger, view.number - 1)
  return openFileReply(needs, visitor, file, {
    range: { merchant, ledger, after: before?.closedPosition ?? 0 },
    files: openFilesOf(view),
    title: `${title}-so-far-${dateTimeIn(timeZone)(at).slice(0, 16)}`,
    summary: asOf(summary, at, visitor),
  })
}

/** Reports: their sums, their closing, their files. */
export const reportRoutes = (
  needs: MoneyNeeds,
  visits: Visits,
  { page, form }: PortalPages,
): Route[] => {
  const path = `${moneyRoot}/ledgers/:ledger/reports/:report`
  const place = { ...seeing, path, params: reportParams }
  return [
    page({ ...place, summary: 'A report of a ledger' }, async (visitor, call) =>
      reportPage(needs, visitor, call),
    ),
    form(
      {
        ...place,
        action: 'close_report',
        summary: 'Close a report',
        ownForm: plainForm.extend({ decision: z.literal('close') }),
      },
      async (visitor, call) => {
        const { ledger, report } = call.params
        const { row, view } = reportOf(needs, visitor, ledger, report)
        const href = reportHref(visitor, ledger, view.number)
        if (fieldOf(call.body, 'decision') !== 'close') return visits.go(visitor, `${href}?close`)
        const { callbackUri } = visitor.shop
        const closing = { report: view.number, callbackUri }
        await closeReport(needs.handle)(row, closing, contextOfStaff(call, visitor))
        return visits.go(visitor, `${href}?closed`)
      },
    ),
    page(
      {
        ...downloading,
        path: `${path}/:file`,
        params: reportParams.extend({ file: fileName }),
        summary: 'A log of a report, as CSV or as a workbook',
      },
      async (visitor, call) => logOf(needs, visitor, call),
    ),
  ]
}
