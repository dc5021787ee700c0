import type { DaySum } from '../../application/notify-owners.ts'
import { oweMessages, type MerchantEvent } from '../../application/owe-messages.ts'
import { raiseNotices } from '../../application/raise-notices.ts'
import type { StaffWork } from '../../application/staff.ts'
import type { OwedNews } from '../../domain/merchant/owner-message.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import { payments } from '../../domain/aggregates.ts'
import type { Instant } from '../../domain/time.ts'
import { startOf, type TimeZone } from '../../domain/time-zone.ts'
import { dayMs } from '../../domain/time.ts'
import { idIn } from '../../domain/stream.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import type { Core } from '../core.ts'
import { bigRefunds } from '../../domain/people/preferences.ts'
import { shopsOf } from './shops.ts'
import { staffReaders } from './staff-readers.ts'

/** News checked again after a start, because its notices may not have been raised. */
const newsLookedAtAgain = 2_000

const memberIn = async (store: Core['store'], position: number): Promise<string | undefined> => {
  const event = await store.readAt(position)
  return (event?.data as { readonly member?: string } | undefined)?.member
}

/** Whether a staff event has made somebody an owner. */
const makeNewOwner =
  ({ store }: Pick<Core, 'store'>, { findStaff }: Pick<StaffWork, 'findStaff'>) =>
  async (news: { readonly type: string; readonly merchant: string; readonly position: number }) => {
    if (news.type !== 'StaffJoined' && news.type !== 'StaffRoleChanged') return undefined
    const member = await memberIn(store, news.position)
    const { members } = await findStaff(news.merchant)
    const isOwner = members.some(
      (one) => one.member === member && one.status === 'joined' && one.terms.role === 'owner',
    )
    return isOwner ? member : undefined
  }

/** The payout that an event is about, as it stands now. */
const makePayoutOf =
  ({ store, accounting }: Pick<Core, 'store' | 'accounting'>) =>
  async (news: { readonly merchant: string; readonly position: number }) => {
    const event = await store.readAt(news.position)
    const { serial, currency } = (event?.data ?? {}) as { serial?: number; currency?: string }
    const row = accounting.settlements.find(news.merchant, serial ?? 0)
    const payout = row?.payouts.find((one) => one.currency === currency)
    if (!row || !payout) return undefined
    const { amount, status } = payout
    const { settlementId } = row
    return { settlementId, currency: payout.currency, amount, isPaid: status === 'paid' }
  }

const sumsBetween = (
  { accounting }: Pick<Core, 'accounting'>,
  merchant: string,
  start: Instant,
  end: Instant,
): readonly DaySum[] =>
  accounting.turnover
    .between({ merchant, posIds: [allPointsOfSale] }, start, end)
    .filter(({ captured, refunded }) => captured !== 0 || refunded !== 0)

/** What was taken in on a day (`YYYY-MM-DD`) of the shop. */
export const sumsOfDay = (
  core: Pick<Core, 'accounting'>,
  merchant: string,
  timeZone: TimeZone,
  date: string,
): readonly DaySum[] => {
  const day = Date.parse(date) / dayMs
  return sumsBetween(core, merchant, startOf(timeZone, day), startOf(timeZone, day + 1))
}

/** What an event is news of, if any. */
const makeNewsOf =
  ({ store, find }: Pick<Core, 'store' | 'find'>) =>
  async ({ type, position, stream }: MerchantEvent): Promise<OwedNews | undefined> => {
    if (type !== 'PayoutPaid' && type !== 'PaymentRefunded') return undefined
    const data = (await store.readAt(position))?.data as Readonly<Record<string, number | string>>
    if (type === 'PayoutPaid') {
      const [currency, amount] = [String(data['currency']), Number(data['amount'])]
      const money = Number.isSafeInteger(amount) ? { currency, amount } : null
      return { topic: 'payout_sent', about: String(data['serial']), money }
    }
    const payment = await find(payments, idIn(stream))
    if (payment.status === 'unrequested') return undefined
    const { currency } = payment.request
    const amount = Number(data['amount']) + Number(data['additionalAmount'])
    if (amount < bigRefunds[0] * 10 ** decimalsOf(currency)) return undefined
    return { topic: 'big_refund', about: idIn(stream), money: { currency, amount } }
  }

const mostReaders = 10_000

/** Merchants of those who want the sum of each day. */
const dailyShopsOf = (core: Core, { placesOf }: StaffWork) => {
  const { findShop } = shopsOf(core)
  return async () => {
    const readers = core.merchants.dailyReaders.all(mostReaders)
    const places = await Promise.all(readers.map(({ person }) => placesOf(person)))
    const all = new Set(
      places.flat().flatMap(({ merchant, hasJoined }) => (hasJoined ? [merchant] : [])),
    )
    return [...all].flatMap((merchant) => {
      const shop = findShop(merchant)
      return shop ? [{ merchant, timeZone: shop.timeZone }] : []
    })
  }
}

const owing = (core: Core, staff: StaffWork) => {
  const readers = staffReaders(core, staff)
  return oweMessages({
    handle: core.handle,
    newId: core.newId,
    isWanted: async (merchant, { topic, money }, at) =>
      (await readers(merchant, topic, { money, at })).length > 0,
    newsOf: makeNewsOf(core),
    dailyShops: dailyShopsOf(core, staff),
    hasTurnover: (merchant, start, end) => sumsBetween(core, merchant, start, end).length > 0,
  })
}

export const noticeWork = (core: Core, staff: StaffWork) => {
  const { news } = core.merchants
  return raiseNotices({
    handle: core.handle,
    find: core.find,
    newId: core.newId,
    expiringBetween: core.payments.expiring.anywhere,
    newsBehind: news.behind,
    firstPosition: () => Math.max(0, news.newest() - newsLookedAtAgain),
    newOwner: makeNewOwner(core, staff),
    payoutOf: makePayoutOf(core),
    owe: owing(core, staff),
  })
}
