import type { StaffWork } from '../../application/staff.ts'
import { payers } from '../../domain/aggregates.ts'
import { isOwner, type StaffMember } from '../../domain/merchant/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import {
  bigRefundOf,
  staffTopics,
  wayOf,
  type NoticeWay,
  type Preferences,
  type StaffTopic,
} from '../../domain/people/preferences.ts'
import { decimalsOf } from '../../domain/money/currency.ts'
import type { MinorUnits } from '../../domain/money/money.ts'
import type { Instant } from '../../domain/time.ts'
import type { Core } from '../core.ts'

/** What somebody has chosen, and when they chose notices last. */
const chosenBy =
  ({ find }: Pick<Core, 'find'>) =>
  async (person: string) => {
    const payer = await find(payers, person)
    return payer.status === 'present' ? payer : undefined
  }

export const preferencesOf =
  (core: Pick<Core, 'find'>) =>
  async (person: string): Promise<Preferences | undefined> =>
    (await chosenBy(core)(person))?.preferences

export type Reader = { readonly one: StaffMember; readonly way: NoticeWay }

type Money = { readonly currency: string; readonly amount: MinorUnits }

/** Members of a merchant's staff who wanted to be told at a time, as far as their role allows. */
export const staffReaders = (core: Pick<Core, 'find'>, { findStaff }: StaffWork) => {
  const chosen = chosenBy(core)
  return async (
    merchant: string,
    topic: StaffTopic,
    { money, at = Infinity }: { readonly money?: Money | null; readonly at?: Instant },
  ): Promise<readonly Reader[]> => {
    const { members } = await findStaff(merchant)
    const may = members.filter(
      ({ status, terms }) => status === 'joined' && mayDo(terms, staffTopics[topic]),
    )
    const readers = may.map(async (one) => {
      const { preferences, choseNoticesAt = 0 } = (await chosen(one.person)) ?? {}
      const way = wayOf(preferences, topic, isOwner(one))
      const isSmall =
        topic === 'big_refund' &&
        !!money &&
        money.amount < bigRefundOf(preferences) * 10 ** decimalsOf(money.currency)
      return way === 'none' || choseNoticesAt > at || isSmall ? [] : [{ one, way }]
    })
    return (await Promise.all(readers)).flat()
  }
}
