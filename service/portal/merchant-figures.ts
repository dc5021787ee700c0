import { noticesOfMerchants } from '../../domain/aggregates.ts'
import { negated } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import { dayIn, startOf, type TimeZone } from '../../domain/time-zone.ts'
import type { Core } from '../core.ts'
import { debtorIn } from '../payment-message.ts'
import { newestSecurityLines, endOf } from '../../infrastructure/logs/security-log.ts'
import { existsSync } from 'node:fs'
import type { RequestLine } from '../../application/merchant-request.ts'
import { answersTo, newestRequests } from '../../infrastructure/logs/merchant-requests.ts'
import type { RefusalLine } from '../../application/refused-request.ts'
import { refusalFiles, type SealedPart } from '../../infrastructure/logs/refusals.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { settlementLines } from '../../http/merchant/transaction.ts'
import { anywhere, type TransactionPlace } from '../../projections/transaction-row.ts'
import type { MoneyNeeds } from '../../web/portal/money-needs.ts'
import { idsNamedIn } from '../reports-and-settlements.ts'
import { unseal } from '../../infrastructure/people/sealing.ts'

const daysRead = 7

const mostListed = 50

const refusalIn = (text: string): RefusalLine | undefined => {
  try {
    const line = JSON.parse(text) as RefusalLine | { readonly more: number }
    return 'request' in line ? line : undefined
  } catch {
    return undefined
  }
}

/** Keeps personal data sealed, except for the address and the text to sign. */
const opened = (key: Buffer, { sealed, ...line }: RefusalLine) => {
  const text = sealed === undefined ? undefined : unseal(key, sealed)
  const { target, toSign } = text === undefined ? {} : (JSON.parse(text) as SealedPart)
  return { ...line, target, toSign }
}

type RefusalView = ReturnType<typeof opened>

/** A merchant's newest refused requests, newest first. */
export const newestRefusals = ({ vault, refusals, settings: { DATA_DIR } }: Core) => {
  const key = vault.secret('refusals')
  return (merchant: string): readonly RefusalView[] => {
    refusals.flush()
    const found: RefusalView[] = []
    if (!existsSync(DATA_DIR)) return found
    for (const { file } of refusalFiles(DATA_DIR).slice(-daysRead).toReversed())
      for (const text of endOf(file).toReversed()) {
        const line = text.includes(merchant) ? refusalIn(text) : undefined
        if (line?.merchant === merchant) found.push(opened(key, line))
        if (found.length === mostListed) return found
      }
    return found
  }
}

/** A merchant's newest requests that fit, newest first. */
export const requestsOf =
  ({ merchantRequests, settings: { DATA_DIR } }: Core) =>
  (merchant: string, fits: (line: RequestLine) => boolean, limit: number) => {
    merchantRequests.flush()
    return newestRequests(DATA_DIR, merchant, fits, limit)
  }

/** What receivers answered to a message of a merchant lately. */
export const answersOf = ({ vault, settings: { DATA_DIR } }: Core) => {
  const key = vault.secret('refusals')
  return (merchant: string, message: string) => answersTo(DATA_DIR, key, merchant, message)
}

/** Others are found by id. */
const mostPointsOfSale = 200

const securityLinesListed = 50

export const figuresOf = (core: Core) => {
  const { find, payments, accounting, callbacks, merchants: rows, settings } = core
  const idsNamed = idsNamedIn(core, core)
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
      newestSecurityLines(settings.DATA_DIR, merchant, securityLinesListed),
    posOf: (merchant: string) =>
      rows.pointsOfSale
        .list(merchant, Number.MAX_SAFE_INTEGER, mostPointsOfSale)
        .map(({ data: { id, name } }) => ({ id, name }))
        .toReversed(),
    canOrderPayouts: debtorIn(settings) !== undefined,
    moneyLines: (
      { merchant, serial, posTid, currency }: Parameters<MoneyNeeds['moneyLines']>[0],
      behind: TransactionPlace | null,
      size: number,
    ) => {
      const [newest] = accounting.settlements.list(merchant, Number.MAX_SAFE_INTEGER, 1)
      const settlement =
        serial === undefined
          ? { ...anywhere, after: newest?.startedPosition ?? 0, settlementId: '' }
          : settlementLines(accounting, merchant, String(serial))
      const tids = posTid === undefined ? undefined : idsNamed(merchant, posTid, undefined)
      const filter = { merchant, order: 'newest', settlement, tids, currency } as const
      return accounting.transactions.page(filter, behind, size, nextTurn)
    },
    /** What a merchant owes from earlier settlements. */
    owedOf: (merchant: string) =>
      accounting.journal.balancesOf(merchant, ['unsettled_fees', 'unsettled_refunds']),
    moneyOf: (merchant: string, since: string, at: Instant) => {
      const account = accounting.settlementAccounts.find(merchant)
      const owed = accounting.journal.balancesOf(merchant, ['merchant_payable'])
      return {
        reserved: payments.expiring.reserved(merchant, at),
        unsettled: owed.map(({ currency, sum }) => ({ currency, sum: negated(sum) })),
        payouts: accounting.payouts.ofMerchant(merchant, since),
        dueAt: account?.dueAt ?? null,
        hasAccount: account?.payoutAccount !== null,
      }
    },
  }
}
