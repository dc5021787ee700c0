import type { StaffWork } from '../../application/staff.ts'
import { payers } from '../../domain/aggregates.ts'
import { isOwner, type StaffMember } from '../../domain/merchant/staff.ts'
import { mayDo } from '../../domain/merchant/staff-roles.ts'
import {
  staffTopics,
  wayOf,
  type NoticeWay,
  type Preferences,
  type StaffTopic,
} from '../../domain/people/preferences.ts'
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

/** Members of a merchant's staff who wanted to be told at a time, as far as their role allows. */
export const staffReaders = (core: Pick<Core, 'find'>, { findStaff }: StaffWork) => {
  const chosen = chosenBy(core)
  return async (merchant: string, topic: StaffTopic, at = Infinity): Promise<readonly Reader[]> => {
    const { members } = await findStaff(merchant)
    const may = members.filter(
      ({ status, terms }) => status === 'joined' && mayDo(terms, staffTopics[topic]),
    )
    const readers = may.map(async (one) => {
      const { preferences, choseNoticesAt = 0 } = (await chosen(one.person)) ?? {}
      const way = wayOf(preferences, topic, isOwner(one))
      return way === 'none' || choseNoticesAt > at ? [] : [{ one, way }]
    })
    return (await Promise.all(readers)).flat()
  }
}
