import { raiseNotices } from '../application/raise-notices.ts'
import type { StaffWork } from '../application/staff.ts'
import type { Notice } from '../domain/merchant/notice.ts'
import type { Core } from './core.ts'
import type { Messages } from './people/messages.ts'

/** News looked at once more after a start, as nobody may have raised what they told. */
const newsLookedAtAgain = 2_000

const texts: Readonly<Record<Notice['kind'], string>> = {
  authorization_expires: 'An authorisation of value ends within a day and is not captured.',
  callback_address_rested: 'A callback address takes no messages and was given up.',
  payout_returned: 'A payout came back from the bank.',
  new_owner: 'Somebody has become an owner.',
}

/** The member that an event of the staff is about. */
const memberIn = async (store: Core['store'], position: number): Promise<string | undefined> => {
  const event = await store.readAt(position)
  return (event?.data as { readonly member?: string } | undefined)?.member
}

/** Whether an event of the staff has made somebody an owner. */
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

/** Tells all owners, by e-mail where theirs is proved, else by a text to their phone. */
const makeTelling =
  (staff: StaffWork, messages: Messages, publicUrl: () => string) =>
  async (merchant: string, { kind }: Notice): Promise<void> => {
    const { members } = await staff.findStaff(merchant)
    const text = `${texts[kind]} ${publicUrl()}/portal/${merchant}/messages`
    for (const { person, status, terms } of members) {
      if (status !== 'joined' || terms.role !== 'owner') continue
      const profile = await staff.profileOf(person)
      if (profile?.email && profile.isEmailVerified) messages.mail?.(profile.email, text)
      else if (profile?.isPhoneVerified) messages.send?.(profile.phone, text)
    }
  }

/** What needs somebody is raised beside the requests. */
export const noticeWork = (core: Core, staff: StaffWork, messages: Messages) => {
  const { news } = core.merchants
  return raiseNotices({
    ...core,
    expiringBetween: core.payments.expiring.anywhere,
    newsBehind: news.behind,
    firstPosition: () => Math.max(0, news.newest() - newsLookedAtAgain),
    newOwner: makeNewOwner(core, staff),
    onRaised: makeTelling(staff, messages, core.publicUrl),
  })
}
