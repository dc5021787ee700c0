import type { Context } from '../../application/handle.ts'
import { signUpMerchant } from '../../application/sign-up-merchant.ts'
import { merchants, noticesOfMerchants, staffs } from '../../domain/aggregates.ts'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import { negated } from '../../domain/money/money.ts'
import { visitMs } from '../../domain/staff-members.ts'
import { streamOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { dayIn, startOf, type TimeZone } from '../../domain/time-zone.ts'
import type { Core } from '../core.ts'
import type { Log } from '../log.ts'
import { noticeWork } from '../notices.ts'
import { readAccount } from '../payout-account.ts'
import type { Messages } from '../people/messages.ts'
import { staffIn } from '../people/staff.ts'
import { makeSpreadsheets } from '../spreadsheets/spreadsheet-client.ts'
import { newestSecurityLines } from '../security-reader.ts'
import type { Settings } from '../settings.ts'

/** Further ones are found by their ids. */
const mostPointsOfSale = 200
const securityLinesShown = 50

type Visitor = {
  readonly shop: { readonly merchant: string }
  readonly me: Pick<StaffMember, 'member' | 'visits'>
}

/** Records visits, but not each page; nobody waits for it. */
const visitsOf =
  ({ handle }: Core, log: Log) =>
  ({ shop: { merchant }, me: { member, visits } }: Visitor, context: Context): void => {
    const [last] = visits
    if (last && context.at < last.at + visitMs) return
    void handle(staffs, merchant, { type: 'Visit', member }, context).catch((error: unknown) =>
      log.debug({ error }, 'a visit was not recorded'),
    )
  }

/** What the overview tells. */
const figuresOf = ({ payments, accounting, callbacks, merchants: rows }: Core) => ({
  turnoverBetween: accounting.turnover.between,
  dayStarts: (timeZone: TimeZone, at: Instant, days: number): readonly Instant[] => {
    const today = dayIn(timeZone, at)
    const numbers = Array.from({ length: days + 1 }, (_, index) => today - days + 1 + index)
    return numbers.map((day) => startOf(timeZone, day))
  },
  expiring: payments.expiring.ofMerchant,
  failingCallbacks: callbacks.destinations.failing,
  newsAfter: rows.news.after,
  nextPayout: (merchant: string) => {
    const account = accounting.settlementAccounts.find(merchant)
    const currency = account?.currency ?? ''
    const owed = accounting.journal.balanceOf('merchant_payable', currency, merchant)
    const sums = account ? [{ currency, sum: negated(owed) }] : []
    const hasAccount = account?.payoutAccount !== null
    return { dueAt: account?.dueAt ?? null, sums, hasAccount }
  },
})

type Parts = {
  readonly log: Log
  readonly messages: Messages
  readonly publicUrl: () => string
}

/** What the staff of merchants see and do. Beside it, what needs somebody is raised. */
export const portalSlice = (
  core: Core,
  { MODE, DATA_DIR }: Settings,
  { log, messages, publicUrl }: Parts,
) => {
  const { merchants: rows, handle } = core
  const staff = staffIn(core)
  const findShop = (merchant: string) => {
    const row = rows.merchants.find(streamOf(merchants, merchant))
    if (!row) return undefined
    const { businessName: name, currency, timeZone, hasSignedUp = false } = row.data
    return { merchant, name, currency, timeZone, hasSignedUp, isDisabled: row.isDisabled }
  }
  const needs = {
    ...staff,
    ...{ findShop, readAccount },
    makeSpreadsheet: makeSpreadsheets(),
    noteVisit: visitsOf(core, log),
    findNotices: async (merchant: string) => core.find(noticesOfMerchants, merchant, 'log'),
    posOf: (merchant: string) =>
      rows.pointsOfSale
        .list(merchant, Number.MAX_SAFE_INTEGER, mostPointsOfSale)
        .map(({ data: { id, name } }) => ({ id, name }))
        .toReversed(),
    ...figuresOf(core),
    securityOf: (merchant: string) => newestSecurityLines(DATA_DIR, merchant, securityLinesShown),
    signUpMerchant: signUpMerchant({
      ...{ ...staff, handle },
      needsNoApproval: MODE === 'sandbox',
      holderOfOrganization: (id) => rows.lookUpMerchant(id)?.data.id,
    }),
  }
  const due = noticeWork(core, staff, messages, publicUrl)
  return { needs, work: [{ due, isTelling: true }] }
}
