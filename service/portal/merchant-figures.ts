import { noticesOfMerchants } from '../../domain/aggregates.ts'
import { negated } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import { dayIn, startOf, type TimeZone } from '../../domain/time-zone.ts'
import type { Core } from '../core.ts'
import { debtorIn } from '../payment-message.ts'
import { newestSecurityLines } from '../../infrastructure/logs/security-reader.ts'

/** Others are found by id. */
const mostPointsOfSale = 200
const securityLinesShown = 50

/** The figures on a merchant's portal pages. */
export const figuresOf = (core: Core) => {
  const { find, payments, accounting, callbacks, merchants: rows, settings } = core
  return {
    turnoverBetween: accounting.turnover.between,
    dayStarts: (timeZone: TimeZone, at: Instant, days: number): readonly Instant[] => {
      const today = dayIn(timeZone, at)
      const numbers = Array.from({ length: days + 1 }, (_, index) => today - days + 1 + index)
      return numbers.map((day) => startOf(timeZone, day))
    },
    expiring: payments.expiring.ofMerchant,
    failingCallbacks: callbacks.destinations.failing,
    newsAfter: rows.news.after,
    findNotices: async (merchant: string) => find(noticesOfMerchants, merchant, 'log'),
    securityOf: (merchant: string) =>
      newestSecurityLines(settings.DATA_DIR, merchant, securityLinesShown),
    posOf: (merchant: string) =>
      rows.pointsOfSale
        .list(merchant, Number.MAX_SAFE_INTEGER, mostPointsOfSale)
        .map(({ data: { id, name } }) => ({ id, name }))
        .toReversed(),
    canOrderPayouts: debtorIn(settings) !== undefined,
    nextPayout: (merchant: string) => {
      const account = accounting.settlementAccounts.find(merchant)
      const currency = account?.currency ?? ''
      const owed = accounting.journal.balanceOf('merchant_payable', currency, merchant)
      const sums = account ? [{ currency, sum: negated(owed) }] : []
      const hasAccount = account?.payoutAccount !== null
      return { dueAt: account?.dueAt ?? null, sums, hasAccount }
    },
  }
}
