import { html } from 'hono/html'
import { z } from 'zod'
import { operatorRoles } from '../../domain/people/operator-roles.ts'
import type { Operator } from '../../domain/people/operators.ts'
import { codeField, phoneField, type Problems } from '../ui/fields.ts'
import { hidden, plainForm, typed } from '../ui/form-parts.ts'
import type { Html } from '../ui/page.ts'
import { checkField, formPage } from '../portal/parts.ts'
import { operatorPath } from './areas.ts'
import type { OperatorPage, OperatorVisitor } from './pages.ts'
import { textsIn } from '../../texts/catalogue.ts'

const changes = ['add', 'role', 'remove'] as const

export const peopleForm = plainForm.extend({
  change: z.enum(changes).meta({ description: 'Hidden in the form: what is changed.' }),
  member: hidden('whose role is changed, or who is removed.').optional(),
  phone: typed('Who is added.', '+4799999901').optional(),
  role: z.enum(operatorRoles as [string, ...string[]]).optional(),
  code: typed('A one-time code.'),
})

export const peoplePath = operatorPath('staff')

type Form = Omit<Parameters<typeof formPage>[1], 'action' | 'back' | 'isWrong'> & {
  readonly problems: Problems | undefined
}

const codePage = (visitor: OperatorVisitor, { problems, ...form }: Form): OperatorPage =>
  formPage(visitor, {
    ...{ ...form, action: peoplePath, back: peoplePath, isWrong: problems !== undefined },
    fields: html`${form.fields} ${codeField(visitor.texts, problems?.['code'])}`,
  })

const rolesHtml = ({ language }: OperatorVisitor, chosen: string, problem?: Html | string) => {
  const texts = textsIn[language].people
  return html`<fieldset class="choice">
    <legend>${texts.role}</legend>
    ${problem ? html`<p class="wrong small" role="alert">${problem}</p>` : ''}
    ${operatorRoles.map((role) =>
      checkField({
        ...{ type: 'radio', name: 'role', value: role, isChosen: role === chosen },
        isRequired: true,
        text: textsIn[language].operator[`role_${role}`],
        what: texts[`roleWhat_${role}`],
      }),
    )}
  </fieldset>`
}

export const addForm = (
  visitor: OperatorVisitor,
  { phone = '', role = '' }: { readonly phone?: string; readonly role?: string } = {},
  problems?: Problems,
): OperatorPage => {
  const texts = textsIn[visitor.language].people
  return codePage(visitor, {
    ...{ title: texts.add, button: texts.addDo, hidden: { change: 'add' }, problems },
    fields: html`<p class="quiet">${texts.addWhat}</p>
      ${phoneField(visitor.texts, 'tel', phone, problems?.['phone'])}
      ${rolesHtml(visitor, role, problems?.['role'])}`,
  })
}

type Named = { readonly one: Operator; readonly name: string }

export const roleForm = (
  visitor: OperatorVisitor,
  { one, name }: Named,
  role: string,
  problems?: Problems,
): OperatorPage => {
  const texts = textsIn[visitor.language].people
  return codePage(visitor, {
    ...{ title: texts.changeRole({ name }), button: texts.save, problems },
    hidden: { change: 'role', member: one.member },
    fields: rolesHtml(visitor, role, problems?.['role']),
  })
}

export const removeForm = (
  visitor: OperatorVisitor,
  { one, name }: Named,
  problems?: Problems,
): OperatorPage => {
  const texts = textsIn[visitor.language].people
  return codePage(visitor, {
    ...{ title: texts.removeAsk({ name }), button: texts.remove, problems },
    hidden: { change: 'remove', member: one.member },
    isDangerous: true,
    fields: html`<p>${texts.removeWhat}</p>`,
  })
}
