import type { Command } from 'commander'
import { addAndTell } from '../application/operators.ts'
import { phoneDigits } from '../application/people.ts'
import {
  operatorRoles,
  operatorTerms,
  type OperatorTerms,
  type Operator,
} from '../domain/people/operator-roles.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Messages } from '../service/people/messages.ts'
import { operatorsIn } from '../service/people/staff.ts'
import { phoneOf } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type Given = { readonly role: string }

const termsOf = (given: Given): OperatorTerms => {
  const read = operatorTerms.safeParse(given)
  return read.success ? read.data : fail(`a role is one of ${operatorRoles.join(', ')}`)
}

const present = async (core: Core): Promise<readonly Operator[]> => {
  const { members } = await operatorsIn(core).findOperators()
  return members.filter(({ status }) => status !== 'gone')
}

/** By the invited number, or the id printed by `operator list`. */
const presentOne = async (core: Core, text: string): Promise<Operator> => {
  const { invitedNumber } = operatorsIn(core)
  const phone = phoneDigits(text)
  const isThat = (one: Operator) =>
    one.member === text || (phone !== undefined && invitedNumber(one.phone) === phone)
  return (await present(core)).find(isThat) ?? fail('nobody of the operator has that number')
}

/** Sends messages to people who were added. */
export type MessagesBeside = (
  core: Core,
) => Promise<
  Pick<Messages, 'send' | 'sentTo' | 'settled' | 'stop'> & { readonly addedMessage: string }
>

const add = (messagesOf: MessagesBeside) => async (core: Core, phone: string, given: Given) => {
  const asked = { phone: phoneOf(phone), terms: termsOf(given) }
  const messages = await messagesOf(core)
  try {
    const { addOperator } = operatorsIn(core)
    const tell = addAndTell({ addOperator, sendMessage: messages.send })
    const added = await tell(asked, messages.addedMessage, core.contextOf('operator'))
    await messages.settled()
    // The sandbox shows it instead of sending it.
    const [shown] = messages.sentTo(undefined)
    const { member, hasJoined } = added
    return {
      ...{ member, role: asked.terms.role, status: hasJoined ? 'joined' : 'invited' },
      ...(shown && { message: shown.text }),
    }
  } finally {
    messages.stop()
  }
}

const change = async (core: Core, text: string, given: Given) => {
  const terms = termsOf(given)
  const { member } = await presentOne(core, text)
  const command = { type: 'ChangeRole', member, terms } as const
  await operatorsIn(core).changeOperators(command, core.contextOf('operator'))
  return { member, role: terms.role }
}

const remove = async (core: Core, text: string) => {
  const { member } = await presentOne(core, text)
  const command = { type: 'Remove', member } as const
  await operatorsIn(core).changeOperators(command, core.contextOf('operator'))
  return { member, removed: true }
}

const list = async (core: Core) => {
  const { invitedNumber, nameOf } = operatorsIn(core)
  return Promise.all(
    (await present(core)).map(async ({ member, person, phone, terms, status, since }) => ({
      member,
      phone: invitedNumber(phone) ?? null,
      name: status === 'joined' ? ((await nameOf(person)) ?? null) : null,
      ...{ role: terms.role, status, since: new Date(since).toISOString() },
    })),
  )
}

/** `daybook operator` (interface 14): access to the pages at `/operator/`. */
export const addOperatorCommands = (
  program: Command,
  withCore: WithCore,
  messagesOf: MessagesBeside,
): void => {
  const operator = program.command('operator').description('your own people, at /operator/')
  const role = ['--role <role>', `one of ${operatorRoles.join(', ')}`] as const
  operator
    .command('add <phone>')
    .description(
      'add whoever has an account with that number, or invite whoever will have; they are told',
    )
    .requiredOption(...role)
    .action(withCore(add(messagesOf)))
  operator
    .command('change <phone>')
    .description('give somebody another role')
    .requiredOption(...role)
    .action(withCore(change))
  operator.command('list').description('list your people and their roles').action(withCore(list))
  operator
    .command('remove <phone>')
    .description('take somebody off; the last admin stays')
    .action(withCore(remove))
}
