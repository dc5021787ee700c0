import { html } from 'hono/html'
import { z } from 'zod'
import { posTypes, type PosType } from '../../../domain/merchant/pos.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import {
  hasProblems,
  inputField,
  type Problems,
  hidden,
  plainForm,
  typed,
} from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.ts'
import { choiceField } from '../parts.ts'
import { costsBeside, keysLink, pointForm } from './forms.ts'
import { pointsPath, type PosData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export const posForm = plainForm.extend({
  id: typed('The id of a new one.', 'till-3').optional(),
  name: typed('What payers see.').optional(),
  type: z.enum(posTypes).optional(),
  do: hidden('`remove` to remove it.').optional(),
})

export type GivenPos = FormOf<typeof posForm>

type TypedPos = { readonly id: string; readonly name: string; readonly type: PosType }

export const typedPos = (body: GivenPos): TypedPos => ({
  id: fieldOf(body, 'id'),
  name: fieldOf(body, 'name'),
  type: posTypes.find((one) => one === fieldOf(body, 'type')) ?? 'store',
})

const fieldsHtml = (
  texts: Catalogue['points'],
  { name, type }: TypedPos,
  problems: Problems,
): Html =>
  html`${inputField({
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    problem: problems['name'],
    attributes: html`value="${name}" maxlength="100" autocomplete="off" required`,
  })}
  ${choiceField(
    'type',
    texts.type,
    type,
    posTypes.map((one) => [one, texts[`type_${one}`]]),
  )}`

export const newPosPage = (visitor: PortalVisitor, given: TypedPos, problems: Problems = {}) => {
  const texts = textsIn[visitor.language].points
  const frame = textsIn[visitor.language].portal
  return pointForm(visitor, {
    title: texts.newPos,
    path: '/new',
    beside: [
      [frame.formWhat, [texts.posWhat]],
      costsBeside(visitor),
      [frame.formNext, [texts.posNext]],
    ],
    button: texts.make,
    isWrong: hasProblems(problems),
    fields: html`${inputField({
      name: 'id',
      label: texts.id,
      hint: texts.idHint,
      problem: problems['id'],
      attributes: html`value="${given.id}" maxlength="64" autocapitalize="none" autocomplete="off"
      spellcheck="false" required`,
    })}
    ${fieldsHtml(texts, given, problems)}`,
  })
}

const pathOf = (id: string): string => `/pos/${encodeURIComponent(id)}`

export const changePosPage = (
  visitor: PortalVisitor,
  pos: PosData,
  given: TypedPos,
  problems: Problems = {},
) => {
  const texts = textsIn[visitor.language].points
  const frame = textsIn[visitor.language].portal
  const path = pathOf(pos.id)
  const remove = portalPath(visitor.shop.merchant, pointsPath(`${path}?remove`))
  return pointForm(visitor, {
    title: pos.name,
    path,
    beside: [
      [frame.formWhat, [texts.posWhat]],
      [frame.formNext, [texts.changePosNext]],
    ],
    button: texts.save,
    isWrong: hasProblems(problems),
    fields: html`<p class="quiet"><code>${pos.id}</code></p>
      ${fieldsHtml(texts, given, problems)}`,
    below: html`${keysLink(visitor)}
      <p><a class="button danger" href="${remove}">${texts.remove}</a></p>`,
  })
}

export const removePosPage = (visitor: PortalVisitor, pos: PosData) => {
  const texts = textsIn[visitor.language].points
  return pointForm(visitor, {
    title: texts.removePos({ name: pos.name }),
    path: pathOf(pos.id),
    hidden: { do: 'remove' },
    button: texts.remove,
    isDangerous: true,
    fields: html`<p>${texts.removePosWhat}</p>`,
  })
}
