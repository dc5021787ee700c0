import { z } from 'zod'
import { plainForm } from '../ui/form-parts.ts'
import type { Visits } from '../payer/session.ts'
import type { Route } from '../../http/route.ts'
import { accountPage, changeOfAccount } from './money-account.ts'
import { fileReply } from './money-files.ts'
import { ledgerRoutes } from './money-ledger-routes.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import { moneyOverview } from './money-overview.ts'
import { downloading, fileName, moneyRoot, number, seeing } from './money-places.ts'
import { reportRoutes } from './money-report-routes.ts'
import { madeSettlement, settlementPage } from './money-settlement.ts'
import { payoutParts, rowsOf, turnoverOf } from './money-steps.ts'
import { termsPage } from './money-terms.ts'
import { timesRoutes } from './money-times.ts'
import type { PortalVisitor } from './page.ts'
import { portalPages, shopParams } from './pages.ts'
import { moneyTexts } from './texts-money.ts'

const settlementParams = shopParams.extend({ serial: number })

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
  return fileReply(needs, visitor, file, { logs: made, title: row.settlementId, summary })
}

/** Payouts, settlements, reports, fees, and the account that all goes to. */
export const moneyRoutes = (needs: MoneyNeeds, visits: Visits): Route[] => {
  const pages = portalPages(needs, visits)
  const { page, form, confirm } = pages
  const settlementPath = `${moneyRoot}/settlements/:serial`
  const account = { path: `${moneyRoot}/account` }
  return [
    page(
      { ...seeing, path: moneyRoot, summary: 'Payouts, ledgers and reports' },
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
    ...ledgerRoutes(needs, visits, pages),
    ...reportRoutes(needs, visits, pages),
    ...timesRoutes(needs, visits, pages),
    page(
      { ...seeing, path: `${moneyRoot}/terms`, summary: 'Fees through time' },
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
