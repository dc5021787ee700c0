import { z } from 'zod'
import { feeTypes, totalGross, totalNet } from '../../domain/accounting/totals.ts'
import { ledgers } from '../../domain/aggregates.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { refuse } from '../../domain/refusal.ts'
import { within } from '../../domain/stream.ts'
import { fieldOf } from '../forms.ts'
import { impliedBy } from '../merchant/ledger.ts'
import type { ShownReport } from '../merchant/report-reply.ts'
import { plainForm } from '../payer/form-parts.ts'
import type { Visits } from '../payer/session.ts'
import { filledText } from '../payer/words.ts'
import type { Route } from '../route.ts'
import { contextOfStaff } from './guard.ts'
import { accountPage, changeOfAccount } from './money-account.ts'
import { fileReply, fileTypes } from './money-files.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import { moneyOverview } from './money-overview.ts'
import { reportHref } from './money-parts.ts'
import { reportOf, reportPage } from './money-report.ts'
import { madeSettlement, settlementPage } from './money-settlement.ts'
import { payoutParts, rowsOf, turnoverOf } from './money-steps.ts'
import { termsPage } from './money-terms.ts'
import type { PortalVisitor } from './page.ts'
import { portalPages, shopParams, type PortalPages } from './pages.ts'
import { moneyTexts } from './texts-money.ts'

const root = '/portal/:merchant/money'
const number = z.string().regex(/^[1-9]\d{0,9}$/)
const fileName = z.string().max(40)

const settlementParams = shopParams.extend({ serial: number })
const reportParams = shopParams.extend({ ledger: z.string().max(100), report: number })

const seeing = { action: 'see_money', area: 'money' } as const
const downloading = { action: 'download', area: 'money', replyTypes: fileTypes } as const

const settlementFile = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  { serial, file }: { readonly serial: string; readonly file: string },
) => {
  const texts = moneyTexts[visitor.language]
  const row = madeSettlement(needs, visitor, serial)
  const { made } = row
  const rows = made.payouts.flatMap((payout) => {
    const { currency } = payout
    const parts = payoutParts(turnoverOf(needs, row, currency), made.totals, payout, texts)
    return rowsOf(parts, currency, visitor)
  })
  const summary: Sheet = { name: texts.summary, rows }
  return fileReply(needs, file, { logs: made, title: row.settlementId, summary })
}

const summaryOf = ({ sums }: ShownReport, { language }: PortalVisitor): Sheet => {
  const texts = moneyTexts[language]
  const rows = sums.totals.flatMap((total) => {
    const { currency, taxcode, fees } = total
    const amount = (sum: string) => Number(sum) / 10 ** decimalsOf(currency)
    return [
      [texts.description, currency, taxcode],
      [texts.gross, amount(totalGross(total)), null],
      ...feeTypes.flatMap((type) => {
        const fee = fees[type]
        return fee === undefined ? [] : [[texts[`fee_${type}`], -amount(fee), null]]
      }),
      [texts.net, amount(totalNet(total)), null],
    ]
  })
  return { name: texts.summary, rows }
}

const reportRoutes = (needs: MoneyNeeds, visits: Visits, { page, form }: PortalPages): Route[] => {
  const path = `${root}/ledgers/:ledger/reports/:report`
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
        const { row, shown } = reportOf(needs, visitor, ledger, report)
        const { merchant, openedAt } = row
        const href = reportHref(visitor, ledger, shown.number)
        if (fieldOf(call.body, 'decision') !== 'close') return visits.go(visitor, `${href}?close`)
        const about = { report: shown.number, openedAt, callbackUri: null }
        const command = { type: 'CloseReport', ...about, implied: impliedBy(row) } as const
        const context = contextOfStaff(call, visitor)
        // Also where the clock was put back meanwhile.
        const at = Math.max(context.at, openedAt)
        await needs.handle(ledgers, within(merchant, ledger), command, { ...context, at })
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
      async (visitor, { params: { ledger, report, file } }) => {
        const { shown } = reportOf(needs, visitor, ledger, report)
        if (shown.status !== 'closed') return refuse('resource_is_unknown')
        const title = filledText('{}-report-{}', ledger, report)
        const summary = summaryOf(shown, visitor)
        return fileReply(needs, file, { logs: shown.sums, title, summary })
      },
    ),
  ]
}

/** Payouts, settlements, reports, fees, and the account that all goes to. */
export const moneyRoutes = (needs: MoneyNeeds, visits: Visits): Route[] => {
  const pages = portalPages(needs, visits)
  const { page, form, confirm } = pages
  const settlementPath = `${root}/settlements/:serial`
  const account = { params: shopParams, path: `${root}/account` }
  return [
    page(
      { ...seeing, path: root, params: shopParams, summary: 'Payouts, ledgers and reports' },
      async (visitor, call) => moneyOverview(needs, visitor, call),
    ),
    page(
      {
        ...seeing,
        path: settlementPath,
        params: settlementParams,
        summary: 'A settlement: from turnover to payout, and where the money is',
      },
      async (visitor, { params }) => settlementPage(needs, visitor, params.serial),
    ),
    page(
      {
        ...downloading,
        path: `${settlementPath}/:file`,
        params: settlementParams.extend({ file: fileName }),
        summary: 'A log of a settlement, as CSV or as a workbook',
      },
      async (visitor, { params }) => settlementFile(needs, visitor, params),
    ),
    ...reportRoutes(needs, visits, pages),
    page(
      { ...seeing, path: `${root}/terms`, params: shopParams, summary: 'Fees through time' },
      async (visitor, call) => termsPage(needs, visitor, call.at),
    ),
    page({ ...seeing, ...account, summary: 'The settlement account' }, async (visitor, call) =>
      accountPage(needs, visitor, call),
    ),
    form(
      {
        ...seeing,
        ...account,
        action: 'change_settlement_account',
        summary: 'Ask for another settlement account, or take that back',
        ownForm: plainForm.extend({
          decision: z.enum(['ask', 'withdraw']),
          change: z.string(),
          account: z.string(),
          code: z.string(),
        }),
      },
      changeOfAccount(needs, visits, confirm),
    ),
  ]
}
