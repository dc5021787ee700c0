import { Done, Link, Table, type Row, type Html, Title } from '../ui/components.tsx'
import { z } from 'zod'
import {
  operatorMayDo,
  type Operator,
  operatorTerms,
  operatorRoles,
} from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import {
  anyText,
  hidden,
  plainForm,
  typed,
  readInvited,
  codeField,
  phoneField,
  type Problems,
  Check,
} from '../ui/fields.tsx'
import { utcTime } from '../ui/money.tsx'
import type { Visits } from '../payer/session.tsx'
import { doneIn, unseen } from '../ui/words.tsx'
import { formPage } from '../portal/parts.tsx'
import type { Route, RawReply } from '../../http/route.ts'
import {
  operatorPages,
  type OperatorPage,
  type OperatorVisitor,
  contextOfOperator,
  type OperatorNeeds,
  type OperatorPages,
} from './pages.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import { addAndTell, type OperatorWork } from '../../application/operators.ts'
import { memberOf } from '../../domain/staff-members.ts'
import type { Links } from '../../http/addresses.ts'
import { codeProblem } from '../staff/guard.tsx'
import type { Language } from '../../texts/generated/texts.ts'
import { operatorPath } from './areas.ts'

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
    ...form,
    action: peoplePath,
    back: peoplePath,
    isWrong: problems !== undefined,
    fields: [form.fields, codeField(visitor.texts, problems?.['code'])],
  })

const rolesHtml = ({ language }: OperatorVisitor, chosen: string, problem?: Html) => {
  const texts = textsIn[language].people
  return (
    <fieldset class="choice">
      <legend>{texts.role}</legend>
      {problem ? (
        <p class="wrong small" role="alert">
          {problem}
        </p>
      ) : null}
      {operatorRoles.map((role) => (
        <Check
          type="radio"
          name="role"
          value={role}
          isChosen={role === chosen}
          isRequired
          text={textsIn[language].operator[`role_${role}`]}
          what={texts[`roleWhat_${role}`]}
        />
      ))}
    </fieldset>
  )
}

export const addForm = (
  visitor: OperatorVisitor,
  { phone = '', role = '' }: { readonly phone?: string; readonly role?: string } = {},
  problems?: Problems,
): OperatorPage => {
  const texts = textsIn[visitor.language].people
  return codePage(visitor, {
    title: texts.add,
    button: texts.addDo,
    hidden: { change: 'add' },
    problems,
    fields: [
      <p class="quiet">{texts.addWhat}</p>,
      phoneField(visitor.texts, 'tel', phone, problems?.['phone']),
      rolesHtml(visitor, role, problems?.['role']),
    ],
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
    title: texts.changeRole({ name }),
    button: texts.save,
    problems,
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
    title: texts.removeAsk({ name }),
    button: texts.remove,
    problems,
    hidden: { change: 'remove', member: one.member },
    isDangerous: true,
    fields: <p>{texts.removeWhat}</p>,
  })
}

export type OperatorPeopleNeeds = OperatorNeeds &
  Pick<OperatorWork, 'addOperator' | 'changeOperators' | 'nameOf' | 'invitedNumber'> & {
    readonly links: Links
    /** Undefined where the operator has set up no way to send any. */
    readonly sendMessage: ((to: string, text: string) => void) | undefined
  }

/** What whoever is added is told. */
export const addedMessage = (language: Language, links: Links): string =>
  textsIn[language].people.addedMessage({ address: links.full('/operator/') })

export type PeopleCall = Call<unknown, undefined, FormOf<typeof peopleForm>>

/** Their name, or the number that was invited. */
export const personName = async (
  needs: OperatorPeopleNeeds,
  { language }: OperatorVisitor,
  { person, phone, status }: Operator,
): Promise<string> => {
  const name = status === 'joined' ? await needs.nameOf(person) : undefined
  const number = needs.invitedNumber(phone)
  return name ?? (number === undefined ? textsIn[language].people.erased : `+${number}`)
}

export const namedPerson = async (
  needs: OperatorPeopleNeeds,
  visitor: OperatorVisitor,
  member: string,
) => {
  const one = memberOf(await needs.findOperators(), member) ?? refuse('resource_is_unknown')
  return { one, name: await personName(needs, visitor, one) }
}

/** Each shows its form again when something is wrong, else goes back to the page. */
export const peopleChanges = (
  needs: OperatorPeopleNeeds,
  visits: Visits,
  confirm: OperatorPages['confirm'],
) => {
  const done = (visitor: OperatorVisitor, what: string): RawReply =>
    visits.go(visitor, `${peoplePath}?${what}`)

  const add = async (visitor: OperatorVisitor, call: PeopleCall) => {
    const texts = textsIn[visitor.language].people
    const values = { phone: fieldOf(call.body, 'phone'), role: fieldOf(call.body, 'role') }
    const invited = readInvited(visitor.texts, values.phone, visits.readPhone)
    const read = operatorTerms.safeParse(values)
    if ('problem' in invited) return addForm(visitor, values, { phone: invited.problem })
    if (!read.success) return addForm(visitor, values, { role: texts.wrongRole })
    const code = await codeProblem(confirm, visitor, call)
    if (code !== undefined) return addForm(visitor, values, { code })
    const invitation = { phone: invited.phone, terms: read.data, by: visitor.me.member }
    const text = addedMessage(visitor.language, needs.links)
    await addAndTell(needs)(invitation, text, contextOfOperator(call, visitor))
    return done(visitor, 'added')
  }

  const changeRole = async (visitor: OperatorVisitor, call: PeopleCall) => {
    const found = await namedPerson(needs, visitor, fieldOf(call.body, 'member'))
    const role = fieldOf(call.body, 'role')
    const read = operatorTerms.safeParse({ role })
    const wrongRole = { role: textsIn[visitor.language].people.wrongRole }
    if (!read.success) return roleForm(visitor, found, role, wrongRole)
    const code = await codeProblem(confirm, visitor, call)
    if (code !== undefined) return roleForm(visitor, found, role, { code })
    const { member } = found.one
    const command = { type: 'ChangeRole', member, terms: read.data, by: visitor.me.member } as const
    await needs.changeOperators(command, contextOfOperator(call, visitor))
    return done(visitor, 'saved')
  }

  const remove = async (visitor: OperatorVisitor, call: PeopleCall) => {
    const found = await namedPerson(needs, visitor, fieldOf(call.body, 'member'))
    const code = await codeProblem(confirm, visitor, call)
    if (code !== undefined) return removeForm(visitor, found, { code })
    const command = { type: 'Remove', member: found.one.member, by: visitor.me.member } as const
    await needs.changeOperators(command, contextOfOperator(call, visitor))
    return done(visitor, 'removed')
  }

  return { add, role: changeRole, remove }
}

const rowHtml = async (
  needs: OperatorPeopleNeeds,
  visitor: OperatorVisitor,
  one: Operator,
): Promise<Row> => {
  const { me, language, locale } = visitor
  const texts = textsIn[language].people
  const name = await personName(needs, visitor, one)
  const [last] = one.visits
  const link = (what: string, text: string, kind = '') => (
    <a class={kind} href={`${peoplePath}?${what}=${one.member}`}>
      {text}
      {unseen(` ${name}`)}
    </a>
  )
  return [
    {
      head: [
        name,
        ' ',
        one.member === me.member && <span class="badge">{texts.you}</span>,
        ' ',
        one.status === 'invited' && <span class="badge warn">{texts.invited}</span>,
      ],
    },
    textsIn[language].operator[`role_${one.terms.role}`],
    last ? utcTime(last.at, locale) : <span class="quiet">{texts.never}</span>,
    {
      kind: 'links',
      text: operatorMayDo(me.terms, 'change_staff')
        ? [link('member', texts.change), ' ', link('remove', texts.remove, 'button slim danger')]
        : null,
    },
  ]
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
  const add = <Link class="button" href={`${peoplePath}?add`} text={texts.add} />
  return {
    title: texts.staff,
    body: [
      <Title text={texts.staff}>
        {operatorMayDo(visitor.me.terms, 'change_staff') ? add : ''}
      </Title>,
      <Done text={doneIn(search, { added, saved, removed })} />,
      <section class="card">
        <p class="quiet">{texts.staffWhat}</p>
        <Table label={texts.staff} kind="grid stacks" heads={heads} rows={rows} />
      </section>,
    ],
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
        ...place,
        action: 'see_staff',
        summary: 'The people of the operator',
        ownQuery: z.object({
          add: anyText('Shows the form to add somebody.'),
          member: anyText('Whose role to change.'),
          remove: anyText('Whom to remove.'),
        }),
      },
      async (visitor, call) => {
        const search = searchOf(call)
        return (await formIn(needs, visitor, search)) ?? listPage(needs, visitor, search)
      },
    ),
    form(
      {
        ...place,
        action: 'change_staff',
        ownForm: peopleForm,
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
