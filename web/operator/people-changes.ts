import { addAndTell, type OperatorWork } from '../../application/operators.ts'
import { operatorTerms } from '../../domain/people/operator-roles.ts'
import type { Operator } from '../../domain/people/operators.ts'
import { refuse } from '../../domain/refusal.ts'
import { memberOf } from '../../domain/staff-members.ts'
import type { Links } from '../../http/addresses.ts'
import type { Call } from '../../http/call.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { readInvited } from '../ui/fields.ts'
import type { Visits } from '../payer/session.ts'
import type { RawReply } from '../../http/route.ts'
import { codeProblem } from '../staff/code.ts'
import {
  contextOfOperator,
  type OperatorNeeds,
  type OperatorPages,
  type OperatorVisitor,
} from './pages.ts'
import { addForm, peopleForm, peoplePath, removeForm, roleForm } from './people-forms.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'

export type OperatorPeopleNeeds = OperatorNeeds &
  Pick<OperatorWork, 'addOperator' | 'changeOperators' | 'nameOf' | 'invitedNumber'> & {
    readonly links: Links
    /** Undefined where the operator has set up no way to send any. */
    readonly sendMessage: ((to: string, text: string) => void) | undefined
  }

/** What whoever is added is told. */
export const addedMessage = (language: Language, links: Links): string =>
  textsIn[language].people.addedMessage({ address: links.full('/operator/') })

type PeopleCall = Call<unknown, undefined, FormOf<typeof peopleForm>>

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
    const given = { phone: fieldOf(call.body, 'phone'), role: fieldOf(call.body, 'role') }
    const invited = readInvited(visitor.texts, given.phone)
    const read = operatorTerms.safeParse(given)
    if ('problem' in invited) return addForm(visitor, given, { phone: invited.problem })
    if (!read.success) return addForm(visitor, given, { role: texts.wrongRole })
    const code = await codeProblem(confirm, visitor, call)
    if (code !== undefined) return addForm(visitor, given, { code })
    const asked = { phone: invited.phone, terms: read.data, by: visitor.me.member }
    const text = addedMessage(visitor.language, needs.links)
    await addAndTell(needs)(asked, text, contextOfOperator(call, visitor))
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
