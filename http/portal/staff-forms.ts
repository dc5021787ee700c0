import { html } from 'hono/html'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import { phoneField, type Problems } from '../payer/fields.ts'
import type { Html } from '../payer/page.ts'
import { hiddenFields } from '../payer/session.ts'
import { filledText } from '../payer/words.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { ownerCode, termsFields, type GivenTerms } from './staff-fields.ts'
import { personName, staffPath, type StaffPageNeeds } from './staff-page.ts'
import { staffTexts } from './texts-staff.ts'

type FormPart = {
  readonly title: string
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: Html
  readonly button: string
  readonly isDangerous?: boolean
  readonly isWrong?: boolean
}

const formPage = (visitor: PortalVisitor, part: FormPart): PortalPage => {
  const { shop, csrf, texts } = visitor
  const { title, hidden, fields, button, isDangerous, isWrong } = part
  return {
    title,
    status: isWrong ? 400 : 200,
    body: html`<form class="card narrow-card" method="post" action="${staffPath(shop.merchant)}">
      <h1>${title}</h1>
      ${hiddenFields({ csrf, ...hidden })} ${fields}
      <div class="actions">
        <button class="${isDangerous ? 'danger' : ''}">${button}</button>
        <a class="button second" href="${staffPath(shop.merchant)}">${texts.cancel}</a>
      </div>
    </form>`,
  }
}

export type Given = GivenTerms & { readonly phone?: string; readonly problems?: Problems }

export const inviteForm = (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  given: Given,
): PortalPage => {
  const texts = staffTexts[visitor.language]
  const { problems = {}, phone } = given
  const known = needs.posOf(visitor.shop.merchant)
  return formPage(visitor, {
    ...{ title: texts.invite, button: texts.inviteDo, hidden: { change: 'invite' } },
    isWrong: given.problems !== undefined,
    fields: html`<p class="quiet">${texts.inviteWhat}</p>
      ${phoneField(visitor.texts, 'tel', phone, problems['phone'])}
      ${termsFields(visitor, known, given, problems)}`,
  })
}

export const roleForm = async (
  needs: StaffPageNeeds,
  visitor: PortalVisitor,
  one: StaffMember,
  given: Given,
): Promise<PortalPage> => {
  const texts = staffTexts[visitor.language]
  const known = needs.posOf(visitor.shop.merchant)
  const name = (await personName(needs, one)) ?? texts.erased
  return formPage(visitor, {
    ...{ title: filledText(texts.changeRole, name), button: texts.save },
    hidden: { change: 'role', member: one.member },
    isWrong: given.problems !== undefined,
    fields: termsFields(
      visitor,
      known,
      { ...given, isOwner: one.terms.role === 'owner' },
      given.problems,
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
  const texts = staffTexts[language]
  const isMe = one.member === me.member
  const name = (await personName(needs, one)) ?? texts.erased
  return formPage(visitor, {
    title: isMe ? texts.leave : filledText(texts.removeAsk, name),
    button: isMe ? texts.leave : texts.remove,
    hidden: { change: isMe ? 'leave' : 'remove', member: one.member },
    ...{ isDangerous: true, isWrong: problems !== undefined },
    fields: html`<p>${isMe ? texts.leaveWhat : texts.removeWhat}</p>
      ${!isMe && one.terms.role === 'owner' ? ownerCode(visitor, problems) : ''}`,
  })
}
