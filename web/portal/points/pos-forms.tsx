import { Link, type Html } from '../../ui/components.tsx'
import { z } from 'zod'
import { posTypes, type PosType } from '../../../domain/merchant/pos.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import {
  hasProblems,
  type Problems,
  hidden,
  plainForm,
  typed,
  Field,
  Choice,
  exact,
} from '../../ui/fields.tsx'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.tsx'
import { costsBeside, keysLink, pointForm } from './forms.tsx'
import { pointsPath, type PosData } from './rows.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export const posForm = plainForm.extend({
  id: typed('The id of a new one.', 'till-3').optional(),
  name: typed('What payers see.').optional(),
  type: z.enum(posTypes).optional(),
  do: hidden('`remove` to remove it.').optional(),
})

export type PosForm = FormOf<typeof posForm>

type TypedPos = { readonly id: string; readonly name: string; readonly type: PosType }

export const typedPos = (body: PosForm): TypedPos => ({
  id: fieldOf(body, 'id'),
  name: fieldOf(body, 'name'),
  type: posTypes.find((one) => one === fieldOf(body, 'type')) ?? 'store',
})

const fieldsHtml = (
  texts: Catalogue['points'],
  { name, type }: TypedPos,
  problems: Problems,
): Html => [
  <Field
    name="name"
    label={texts.name}
    hint={texts.nameHint}
    problem={problems['name']}
    value={name}
    maxlength={100}
    autocomplete="off"
    required
  />,
  <Choice
    name="type"
    label={texts.type}
    value={type}
    of={posTypes.map((one) => [one, texts[`type_${one}`]])}
  />,
]

export const newPosPage = (visitor: PortalVisitor, values: TypedPos, problems: Problems = {}) => {
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
    fields: [
      <Field
        name="id"
        label={texts.id}
        hint={texts.idHint}
        problem={problems['id']}
        value={values.id}
        maxlength={64}
        required
        {...exact}
      />,
      fieldsHtml(texts, values, problems),
    ],
  })
}

const pathOf = (id: string): string => `/pos/${encodeURIComponent(id)}`

export const changePosPage = (
  visitor: PortalVisitor,
  pos: PosData,
  values: TypedPos,
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
    fields: [
      <p class="quiet">
        <code>{pos.id}</code>
      </p>,
      fieldsHtml(texts, values, problems),
    ],
    below: [
      keysLink(visitor),
      <p>
        <Link class="button danger" href={remove} text={texts.remove} />
      </p>,
    ],
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
    fields: <p>{texts.removePosWhat}</p>,
  })
}
