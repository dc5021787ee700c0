import type { StaffWork } from '../../application/staff.ts'
import type { Staff } from '../../domain/merchant/staff.ts'
import type { Language } from '../ui/texts.ts'

const words = {
  en: { operator: 'The operator', daybook: 'daybook', user: 'API user', gone: 'Former staff' },
  nb: { operator: 'Operatøren', daybook: 'daybook', user: 'API-bruker', gone: 'Tidligere ansatt' },
} as const

export type ActorNeeds = Pick<StaffWork, 'findStaff' | 'nameOf'>

/** Whoever caused something, in words; people of the staff by their names. */
export const actorNames =
  ({ findStaff, nameOf }: ActorNeeds) =>
  async (merchant: string, language: Language) => {
    const staff: Staff = await findStaff(merchant)
    const own = words[language]
    return async (actor: string): Promise<string> => {
      const [kind = '', id = ''] = actor.split(/:(.*)/s)
      const member = staff.members.find((one) => one.member === id)
      if (kind === 'staff') return (member && (await nameOf(member.person))) ?? own.gone
      if (kind === 'user') return `${own.user} ${id}`
      return kind === 'operator' || kind === 'daybook' ? own[kind] : actor
    }
  }
