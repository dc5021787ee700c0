import { merchants, noticesOfMerchants } from '../domain/aggregates.ts'
import type { Notice } from '../domain/merchant/notice.ts'
import { decimalsOf } from '../domain/money/currency.ts'
import { isEnabled } from '../domain/register.ts'
import { idIn, merchantAndIdIn } from '../domain/stream.ts'
import type { Sum } from '../domain/money/money.ts'
import { dayMs, type Instant } from '../domain/time.ts'
import type { Context, Deciding } from './handle.ts'
import type { MerchantEvent, oweMessages } from './owe-messages.ts'
import type { DueWork } from './schedule.ts'

type Expiring = {
  readonly tid: string
  readonly merchant: string
  readonly currency: string
  readonly amountLeft: number
  readonly additionalAmountLeft: number
  readonly expiresAt: Instant
}

type Payout = {
  readonly settlementId: string
  readonly currency: string
  readonly amount: Sum
  /** As it stands now, whatever the event says. */
  readonly isPaid: boolean
}

type Needs = Deciding & {
  /** The payout of an event of it. */
  readonly payoutOf: (news: MerchantEvent) => Promise<Payout | undefined>
  readonly newId: () => string
  /** Authorisations of all merchants that end between two instants, soonest first. */
  readonly expiringBetween: (start: Instant, end: Instant, limit: number) => readonly Expiring[]
  /** Events after a position that may need attention, oldest first. */
  readonly newsBehind: (position: number, limit: number) => readonly MerchantEvent[]
  /** Where to start after a restart; recent news is checked once more. */
  readonly firstPosition: () => number
  /** The member who has just become an owner through this staff event, if any. */
  readonly newOwner: (news: MerchantEvent) => Promise<string | undefined>
  /** Messages to staff about what needs nobody. */
  readonly owe: ReturnType<typeof oweMessages>
}

const lookEveryMs = 600_000
const batchSize = 500
/** Older news needs no attention now: an old log is being folded for the first time. */
const newsLastMs = 3 * dayMs

/** In whole units of the currency; smaller amounts are not worth a message. */
const leastLeft = 1000

const isOfValue = ({ currency, amountLeft, additionalAmountLeft }: Expiring): boolean =>
  amountLeft + additionalAmountLeft >= leastLeft * 10 ** decimalsOf(currency)

const ofExpiring = (payment: Expiring): Notice => {
  const { tid, currency, amountLeft, additionalAmountLeft, expiresAt } = payment
  return {
    notice: `authorization_expires/${tid}/${expiresAt}`,
    kind: 'authorization_expires',
    about: tid,
    money: { currency, amount: amountLeft + additionalAmountLeft },
    until: expiresAt,
  }
}

const raising =
  ({ find, handle, newId }: Needs) =>
  async (merchant: string, notice: Notice, at: Instant): Promise<void> => {
    if (!isEnabled(await find(merchants, merchant))) return
    const context: Context = { at, merchant, actor: 'daybook', correlationId: newId() }
    const command = { type: 'RaiseNotice', ...notice } as const
    await handle(noticesOfMerchants, merchant, command, context)
  }

/** Payouts above this are told without their amount. */
const moneyOf = ({ currency, amount }: Payout): Notice['money'] => {
  const minor = Number(amount)
  return Number.isSafeInteger(minor) ? { currency, amount: minor } : null
}

/** A payout that was paid after all needs nobody. */
const settlePaid =
  ({ find, handle, newId, payoutOf }: Needs) =>
  async (news: MerchantEvent, at: Instant): Promise<void> => {
    const payout = await payoutOf(news)
    if (!payout?.isPaid) return
    const { merchant } = news
    const { open } = await find(noticesOfMerchants, merchant)
    const isIt = ({ kind, about, money }: Notice) =>
      kind === 'payout_returned' &&
      about === payout.settlementId &&
      (money?.currency ?? payout.currency) === payout.currency
    const context: Context = { at, merchant, actor: 'daybook', correlationId: newId() }
    for (const { notice } of open.filter(isIt))
      await handle(noticesOfMerchants, merchant, { type: 'SettleNotice', notice }, context)
  }

/** Undefined if nothing needs attention. */
const noticeOf = async (
  { newOwner, payoutOf }: Needs,
  news: MerchantEvent,
): Promise<Notice | undefined> => {
  const { type, stream, position, actor } = news
  const plain = { money: null, until: null }
  if (type === 'DestinationRested') {
    const [, about] = merchantAndIdIn(idIn(stream))
    return { ...plain, notice: `rested/${position}`, kind: 'callback_address_rested', about }
  }
  // The service changes one only to disable it.
  if (type === 'EventDestinationChanged' && actor === 'daybook') {
    const [, about] = merchantAndIdIn(idIn(stream))
    return { ...plain, notice: `disabled/${position}`, kind: 'event_destination_disabled', about }
  }
  if (type === 'PayoutReturned') {
    const payout = await payoutOf(news)
    if (!payout || payout.isPaid) return undefined
    const { settlementId: about } = payout
    const notice = `returned/${position}`
    return { ...plain, notice, kind: 'payout_returned', about, money: moneyOf(payout) }
  }
  const about = await newOwner(news)
  if (about === undefined) return undefined
  return { ...plain, notice: `owner/${position}`, kind: 'new_owner', about }
}

/**
 * Raises a notice for whatever needs attention, once each, and checks again every ten minutes;
 * settles those of payouts that are paid.
 */
export const raiseNotices = (needs: Needs): DueWork => {
  const raise = raising(needs)
  const settle = settlePaid(needs)
  let position: number | undefined
  let lookedUntil = 0
  let nextLook = 0

  const raiseNews = async (now: Instant, stopped: AbortSignal): Promise<void> => {
    position ??= needs.firstPosition()
    for (let isMore = true; isMore && !stopped.aborted;) {
      const batch = needs.newsBehind(position, batchSize)
      for (const news of batch) {
        if (news.at > now - newsLastMs) {
          const notice = await noticeOf(needs, news)
          if (notice) await raise(news.merchant, notice, now)
          await needs.owe.ofEvent(news, now)
        }
        if (news.type === 'PayoutPaid') await settle(news, now)
        position = news.position
      }
      isMore = batch.length === batchSize
    }
  }

  const raiseExpiring = async (now: Instant, stopped: AbortSignal): Promise<void> => {
    const until = now + dayMs
    let from = Math.max(now, lookedUntil)
    for (let isMore = true; isMore && !stopped.aborted;) {
      const batch = needs.expiringBetween(from, until, batchSize)
      for (const payment of batch)
        if (isOfValue(payment)) await raise(payment.merchant, ofExpiring(payment), now)
      from = batch.at(-1)?.expiresAt ?? until
      isMore = batch.length === batchSize
    }
    lookedUntil = until
    nextLook = now + lookEveryMs
  }

  return async (now, stopped) => {
    await raiseNews(now, stopped)
    if (now >= nextLook) {
      await needs.owe.ofDays(now)
      await raiseExpiring(now, stopped)
    }
    return nextLook
  }
}
