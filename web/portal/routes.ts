import { assetRoute, joined, type AssetNeeds } from '../../http/assets.ts'
import { asPages } from '../ui/page.tsx'
import { makeVisits, type SessionNeeds, type Visits } from '../payer/session.tsx'
import type { NeedsOf, Route } from '../../http/route.ts'
import { developerRoutes } from './developers/routes.tsx'
import { lobbyRoutes } from './lobby.tsx'
import { messagesRoutes } from './messages.tsx'
import { overviewRoutes } from './overview.tsx'
import { portalPaymentRoutes } from './payments/routes.ts'
import { searchRoutes } from './search.tsx'
import { portalPointRoutes } from './points/routes.tsx'
import { ownSettingsRoutes } from './own-settings.tsx'
import { signUpMerchantRoutes } from './sign-up.tsx'
import { linkRoutes } from './take/links.tsx'
import { takeRoutes } from './take/routes.tsx'
import { twinRoutes } from './twin.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { memberOf } from '../../domain/staff-members.ts'
import { searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { portalPages } from './pages.ts'
import { staffChanges, type StaffPagesNeeds } from './staff-changes.ts'
import { termsForm, staffForm } from './staff-fields.tsx'
import { endForm, inviteForm, roleForm } from './staff-forms.tsx'
import { staffPage } from './staff-page.tsx'
import { z } from 'zod'
import { plainForm } from '../ui/fields.tsx'
import { accountPage, changeOfAccount, timesRoutes } from './money-account.tsx'
import { fileReply } from './money-files.tsx'
import { ledgerRoutes, reportRoutes } from './money-routes.ts'
import type { MoneyNeeds, Sheet } from './money-needs.ts'
import { moneyOverview } from './money-overview.tsx'
import { downloading, fileName, moneyRoot, seeing, settlementParams } from './money-places.ts'
import { lineRoutes } from './money-lines.tsx'
import { payoutsRoutes } from './money-payouts.tsx'
import { madeSettlement, settlementPage } from './money-settlement.tsx'
import { payoutParts, rowsOf, turnoverOf } from './money-report.tsx'
import { termsPage } from './money-terms.tsx'
import { textsIn } from '../../texts/catalogue.ts'

const settlementFile = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  { serial, file }: { readonly serial: string; readonly file: string },
) => {
  const texts = textsIn[visitor.language].money
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
const moneyRoutes = (needs: MoneyNeeds, visits: Visits): Route[] => {
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
    ...payoutsRoutes(needs, pages),
    ...lineRoutes(needs, pages),
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

const place = {
  path: '/portal/:merchant/staff',
  action: 'see_staff',
  area: 'staff',
} as const

/** @throws Refusal role_forbids_it for all but owners */
const checkOwner = ({ me }: PortalVisitor): void => {
  if (!mayDo(me.terms, 'change_staff')) refuse('role_forbids_it')
}

/** @throws Refusal resource_is_unknown for whoever is not on the staff of this merchant */
const memberIn = async ({ findStaff }: StaffPagesNeeds, { shop }: PortalVisitor, member: string) =>
  memberOf(await findStaff(shop.merchant), member) ?? refuse('resource_is_unknown')

const formOf = async (
  needs: StaffPagesNeeds,
  visitor: PortalVisitor,
  search: URLSearchParams,
): Promise<PortalPage | undefined> => {
  if (search.has('leave')) return endForm(needs, visitor, visitor.me)
  const [role, end] = [search.get('member'), search.get('remove')]
  if (role === null && end === null && !search.has('invite')) return undefined
  checkOwner(visitor)
  if (end !== null) return endForm(needs, visitor, await memberIn(needs, visitor, end))
  if (role === null) return inviteForm(needs, visitor, {})
  const one = await memberIn(needs, visitor, role)
  return roleForm(needs, visitor, one, termsForm(one.terms))
}

/** Who works for the merchant; owners invite, change and remove. */
const staffRoutes = (needs: StaffPagesNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = portalPages(needs, visits)
  const change = staffChanges(needs, visits, confirm)
  return [
    page({ ...place, summary: 'The staff, and the security log' }, async (visitor, call) => {
      const view = await formOf(needs, visitor, searchOf(call))
      return view ?? staffPage(needs, visitor, call)
    }),
    form(
      {
        ...place,
        summary: 'Invite, change a role, remove, withdraw, leave, end a session',
        ownForm: staffForm,
      },
      async (visitor, call) => {
        const name = fieldOf(call.body, 'change')
        if (name === 'leave') return change.leave(visitor, call)
        if (name === 'end_session') return change.endSession(visitor, call)
        checkOwner(visitor)
        if (name === 'withdraw') return change.withdraw(visitor, call)
        if (name === 'invite') return change.invite(visitor, call)
        const one = await memberIn(needs, visitor, fieldOf(call.body, 'member'))
        if (name === 'remove') return change.remove(visitor, one, call)
        return name === 'role'
          ? change.changeRole(visitor, one, call)
          : refuse('resource_is_unknown')
      },
    ),
  ]
}

/** Every page of the portal. */
const pages = [
  lobbyRoutes,
  ownSettingsRoutes,
  signUpMerchantRoutes,
  overviewRoutes,
  searchRoutes,
  takeRoutes,
  linkRoutes,
  portalPaymentRoutes,
  moneyRoutes,
  developerRoutes,
  portalPointRoutes,
  staffRoutes,
  messagesRoutes,
  twinRoutes,
]

const styles = [
  'portal',
  'parts',
  'tables',
  'stacks',
  'sheet',
  'overview',
  'charts',
  'money',
  'take/take',
  'payments/find',
  'payments/list',
  'payments/page',
  'developers/developers',
  'developers/forms',
  'points/points',
  'print',
].map((name) => `web/portal/${name}.css`)

const scripts = ['portal', 'developers/developers'].map((name) => `web/portal/${name}.js`)

type PortalRouteNeeds = NeedsOf<(typeof pages)[number]> & SessionNeeds & AssetNeeds

/** What the staff of merchants see (interface 18). */
export const portalRoutes = (needs: PortalRouteNeeds): Route[] => {
  const visits = makeVisits(needs)
  const style = joined(needs.readAsset, styles)
  const script = joined(needs.readAsset, scripts)
  const asset = (name: string, type: string, body: Uint8Array<ArrayBuffer>): Route =>
    assetRoute({
      path: `/portal/${name}`,
      type,
      group: 'Portal',
      summary: `What pages of the portal are made of: ${name}`,
      body: () => body,
    })
  return [
    ...asPages(pages.flatMap((make) => make(needs, visits))),
    asset('style.css', 'text/css', style),
    asset('portal.js', 'text/javascript', script),
  ]
}
