import type { StaffWork } from '../../application/staff.ts'
import type { Staff } from '../../domain/merchant/staff.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'

export type ActorNeeds = Pick<StaffWork, 'findStaff' | 'nameOf'>

/** Whoever caused something, in words; people of the staff by their names. */
export const actorNames =
  ({ findStaff, nameOf }: ActorNeeds) =>
  async (merchant: string, language: Language) => {
    const staff: Staff = await findStaff(merchant)
    const own = textsIn[language].actors
    return async (actor: string): Promise<string> => {
      const [kind = '', id = ''] = actor.split(/:(.*)/s)
      const member = staff.members.find((one) => one.member === id)
      if (kind === 'staff') return (member && (await nameOf(member.person))) ?? own.gone
      if (kind === 'user') return own.user({ id })
      return kind === 'operator' || kind === 'daybook' ? own[kind] : actor
    }
  }
