import { html } from 'hono/html'
import { z } from 'zod'
import { operatorMayDo } from '../../domain/people/operator-roles.ts'
import type { Operator } from '../../domain/people/operators.ts'
import { refuse } from '../../domain/refusal.ts'
import { searchOf } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import { asked } from '../ui/form-parts.ts'
import { shownTime } from '../ui/money.ts'
import type { Html } from '../ui/page.ts'
import type { Visits } from '../payer/session.ts'
import { doneIn, unseen } from '../ui/words.ts'
import { doneHtml, headedTable, scrolling } from '../portal/parts.ts'
import type { Route } from '../../http/route.ts'
import { operatorPages, type OperatorPage, type OperatorVisitor } from './pages.ts'
import {
  namedPerson,
  peopleChanges,
  personName,
  type OperatorPeopleNeeds,
} from './people-changes.ts'
import { addForm, peopleForm, peoplePath, removeForm, roleForm } from './people-forms.ts'
import { textsIn } from '../../texts/catalogue.ts'

const rowHtml = async (
  needs: OperatorPeopleNeeds,
  visitor: OperatorVisitor,
  one: Operator,
): Promise<Html> => {
  const { me, language, locale } = visitor
  const texts = textsIn[language].people
  const name = await personName(needs, visitor, one)
  const [last] = one.visits
  const link = (what: string, text: string, kind = '') =>
    html`<a class="${kind}" href="${peoplePath}?${what}=${one.member}"
      >${text}${unseen(` ${name}`)}</a
    >`
  return html`<tr>
    <th scope="row">
      ${name} ${one.member === me.member ? html`<span class="badge">${texts.you}</span>` : ''}
      ${one.status === 'invited' ? html`<span class="badge warn">${texts.invited}</span>` : ''}
    </th>
    <td>${textsIn[language].operator[`role_${one.terms.role}`]}</td>
    <td>${last ? shownTime(last.at, locale) : html`<span class="quiet">${texts.never}</span>`}</td>
    <td class="links">
      ${
        operatorMayDo(me.terms, 'change_staff')
          ? html`${link('member', texts.change)}
            ${link('remove', texts.remove, 'button slim danger')}`
          : ''
      }
    </td>
  </tr>`
}

const listPage = async (
  needs: OperatorPeopleNeeds,
  visitor: OperatorVisitor,
  search: URLSearchParams,
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].people
  const { added, roleChanged: saved, removed } = texts
  const { members } = await needs.findOperators()
  const present = members.filter(({ status }) => status !== 'gone')
  const rows = await Promise.all(present.map((one) => rowHtml(needs, visitor, one)))
  const heads = [texts.person, texts.role, texts.lastSeen, unseen(texts.change)]
  const add = html`<a class="button" href="${peoplePath}?add">${texts.add}</a>`
  return {
    title: texts.staff,
    body: html`<div class="head">
        <h1>${texts.staff}</h1>
        ${operatorMayDo(visitor.me.terms, 'change_staff') ? add : ''}
      </div>
      ${doneHtml(doneIn(search, { added, saved, removed }))}
      <section class="card">
        <p class="quiet">${texts.staffWhat}</p>
        ${scrolling(texts.staff, headedTable('grid stacks', heads, rows))}
      </section>`,
  }
}

/** The form that an address asks for. @throws Refusal role_forbids_it for all but admins */
const formIn = async (
  needs: OperatorPeopleNeeds,
  visitor: OperatorVisitor,
  search: URLSearchParams,
): Promise<OperatorPage | undefined> => {
  const [role, end] = [search.get('member'), search.get('remove')]
  if (role === null && end === null && !search.has('add')) return undefined
  if (!operatorMayDo(visitor.me.terms, 'change_staff')) return refuse('role_forbids_it')
  if (end !== null) return removeForm(visitor, await namedPerson(needs, visitor, end))
  if (role === null) return addForm(visitor)
  const found = await namedPerson(needs, visitor, role)
  return roleForm(visitor, found, found.one.terms.role)
}

export const operatorPeopleRoutes = (needs: OperatorPeopleNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  const changes = peopleChanges(needs, visits, confirm)
  const place = { path: '/operator/staff', area: 'staff' as const }
  return [
    page(
      {
        ...{ ...place, action: 'see_staff', summary: 'The people of the operator' },
        ownQuery: z.object({
          add: asked('Shows the form to add somebody.'),
          member: asked('Whose role to change.'),
          remove: asked('Whom to remove.'),
        }),
      },
      async (visitor, call) => {
        const search = searchOf(call)
        return (await formIn(needs, visitor, search)) ?? listPage(needs, visitor, search)
      },
    ),
    form(
      {
        ...{ ...place, action: 'change_staff', ownForm: peopleForm },
        summary: 'Add somebody of the operator, change a role, remove somebody',
      },
      async (visitor, call) => {
        const name = fieldOf(call.body, 'change')
        const change = Object.entries(changes).find(([one]) => one === name)?.[1]
        return change ? change(visitor, call) : refuse('resource_is_unknown')
      },
    ),
  ]
}
