import type { Html } from '../ui/components.tsx'
import { isOwner, type StaffMember } from '../../domain/merchant/staff.ts'
import { phoneField, type Problems } from '../ui/fields.tsx'
import { shopTime } from '../ui/money.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { formPage } from './parts.tsx'
import { ownerCode, termsFields, termsText, type TermsForm } from './staff-fields.tsx'
import { personName, staffPath, type StaffPageNeeds } from './staff-page.tsx'
import { textsIn } from '../../texts/catalogue.ts'

type FormPart = Omit<Parameters<typeof formPage>[1], 'action' | 'back'>

const staffForm = (visitor: PortalVisitor, part: FormPart): PortalPage => {
  const path = staffPath(visitor.shop.merchant)
  return formPage(visitor, { ...part, action: path, back: path })
}

/** Whom a form is about: their role, what bounds it, and when they were last here. */
const whoHtml = (
  { posOf }: StaffPageNeeds,
  visitor: PortalVisitor,
  { terms, visits }: StaffMember,
  name: string,
): readonly Html[] => {
  const { language, shop } = visitor
  const texts = textsIn[language].staff
  const bounds = termsText(visitor, terms, posOf(shop.merchant))
  const role = textsIn[language].portal[`role_${terms.role}`]
  const [last] = visits
  return [
    [<b>{name}</b>, ', ', role, bounds !== '' && `, ${bounds}`],
    [texts.lastSeen, ': ', last ? shopTime(last.at, visitor) : texts.never],
  ]
}

export type StaffFields = TermsForm & { readonly phone?: string; readonly problems?: Problems }

export const inviteForm = (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  fields: StaffFields,
): PortalPage => {
  const texts = textsIn[visitor.language].staff
  const { formNext } = textsIn[visitor.language].portal
  const { problems = {}, phone } = fields
  const known = needs.posOf(visitor.shop.merchant)
  return staffForm(visitor, {
    title: texts.invite,
    button: texts.inviteDo,
    hidden: { change: 'invite' },
    isWrong: fields.problems !== undefined,
    beside: [[formNext, [texts.inviteNext, texts.inviteWhat, texts.ownerNext]]],
    fields: [
      phoneField(visitor.texts, 'tel', phone, problems['phone']),
      termsFields(visitor, known, fields, problems),
    ],
  })
}

export const roleForm = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  one: StaffMember,
  fields: StaffFields,
): Promise<PortalPage> => {
  const texts = textsIn[visitor.language].staff
  const frame = textsIn[visitor.language].portal
  const known = needs.posOf(visitor.shop.merchant)
  const name = (await personName(needs, one)) ?? texts.erased
  return staffForm(visitor, {
    title: texts.changeRole({ name }),
    button: texts.save,
    hidden: { change: 'role', member: one.member, attempt: needs.newId() },
    beside: [
      [frame.formWho, whoHtml(needs, visitor, one, name)],
      [frame.formNext, [isOwner(one) ? texts.ownerWaits : texts.roleNext]],
    ],
    isWrong: fields.problems !== undefined,
    fields: termsFields(
      visitor,
      known,
      { ...fields, isOwner: one.terms.role === 'owner' },
      fields.problems,
    ),
  })
}

export const endForm = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  one: StaffMember,
  problems?: Problems,
): Promise<PortalPage> => {
  const { language, me } = visitor
  const texts = textsIn[language].staff
  const frame = textsIn[language].portal
  const isMe = one.member === me.member
  const name = (await personName(needs, one)) ?? texts.erased
  return staffForm(visitor, {
    title: isMe ? texts.leave : texts.removeAsk({ name }),
    button: isMe ? texts.leave : texts.remove,
    hidden: { change: isMe ? 'leave' : 'remove', member: one.member, attempt: needs.newId() },
    isDangerous: true,
    isWrong: problems !== undefined,
    beside: [
      [frame.formWho, whoHtml(needs, visitor, one, name)],
      ...(isMe ? [] : [[frame.formNext, [texts.removeNext]] as const]),
    ],
    fields: [
      <p>{isMe ? texts.leaveWhat : isOwner(one) ? texts.ownerWaits : texts.removeWhat}</p>,
      !isMe && one.terms.role === 'owner' && ownerCode(visitor, problems),
    ],
  })
}
