import { raiseNotices } from '../../application/raise-notices.ts'
import type { StaffWork } from '../../application/staff.ts'
import type { Core } from '../core.ts'

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
  })
}
