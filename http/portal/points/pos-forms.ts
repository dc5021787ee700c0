import { html } from 'hono/html'
import { z } from 'zod'
import { posTypes, type PosType } from '../../../domain/merchant/pos.ts'
import { fieldOf, type FormOf } from '../../forms.ts'
import { inputField, type Problems } from '../../payer/fields.ts'
import { hidden, plainForm, typed } from '../../payer/form-parts.ts'
import type { Html } from '../../payer/page.ts'
import { filledText } from '../../payer/words.ts'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.ts'
import { frameTexts } from '../texts.ts'
import { costsBeside, formPage } from './forms.ts'
import { pointsPath, type PosData } from './rows.ts'
import { pointTexts, type PointTexts } from './texts.ts'

export const posForm = plainForm.extend({
  id: typed('The id of a new one.', 'till-3').optional(),
  name: typed('What payers see.').optional(),
  type: z.enum(posTypes).optional(),
  do: hidden('`remove` to remove it.').optional(),
})
export type GivenPos = FormOf<typeof posForm>

const isPosType = (text: string): text is PosType => (posTypes as readonly string[]).includes(text)
type TypedPos = { readonly id: string; readonly name: string; readonly type: PosType }

export const typedPos = (body: GivenPos): TypedPos => {
  const type = fieldOf(body, 'type')
  return {
    id: fieldOf(body, 'id'),
    name: fieldOf(body, 'name'),
    type: isPosType(type) ? type : 'store',
  }
}

const fieldsHtml = (texts: PointTexts, { name, type }: TypedPos, problems: Problems): Html =>
  html`${inputField({
      name: 'name',
      label: texts.name,
      hint: texts.nameHint,
      problem: problems['name'],
      attributes: html`value="${name}" maxlength="100" autocomplete="off" required`,
    })}
    <label for="type">${texts.type}</label>
    <select id="type" name="type">
      ${posTypes.map(
        (one) =>
          html`<option value="${one}" ${one === type ? html`selected` : ''}>
            ${texts[`type_${one}`]}
          </option>`,
      )}
    </select>`

export const newPosPage = (visitor: PortalVisitor, given: TypedPos, problems: Problems = {}) => {
  const texts = pointTexts[visitor.language]
  const frame = frameTexts[visitor.language]
  return formPage(visitor, {
    title: texts.newPos,
    path: '/new',
    beside: [
      [frame.formWhat, [texts.posWhat]],
      costsBeside(visitor),
      [frame.formNext, [texts.posNext]],
    ],
    button: texts.make,
    isWrong: Object.keys(problems).length > 0,
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
  const texts = pointTexts[visitor.language]
  const frame = frameTexts[visitor.language]
  const path = pathOf(pos.id)
  const remove = portalPath(visitor.shop.merchant, pointsPath(`${path}?remove`))
  return formPage(visitor, {
    title: pos.name,
    path,
    beside: [
      [frame.formWhat, [texts.posWhat]],
      [frame.formNext, [texts.changePosNext]],
    ],
    button: texts.save,
    isWrong: Object.keys(problems).length > 0,
    fields: html`<p class="quiet"><code>${pos.id}</code></p>
      ${fieldsHtml(texts, given, problems)}`,
    more: html`<p><a class="button danger" href="${remove}">${texts.remove}</a></p>`,
  })
}

export const removePosPage = (visitor: PortalVisitor, pos: PosData) => {
  const texts = pointTexts[visitor.language]
  return formPage(visitor, {
    title: filledText(texts.removePos, pos.name),
    path: pathOf(pos.id),
    hidden: { do: 'remove' },
    button: texts.remove,
    isDangerous: true,
    fields: html`<p>${texts.removePosWhat}</p>`,
  })
}
