import { addAndTell } from '../application/operators.ts'
import { phoneDigits } from '../application/people.ts'
import { pointsOfSale, staffs } from '../domain/aggregates.ts'
import { staffRoles, staffTerms, type StaffTerms } from '../domain/merchant/staff-roles.ts'
import { formatAmount, parseAmount } from '../domain/money/money.ts'
import {
  operatorRoles,
  operatorTerms,
  type OperatorTerms,
} from '../domain/people/operator-roles.ts'
import type { AnyTerms, Member } from '../domain/staff-members.ts'
import { within } from '../domain/stream.ts'
import { fail } from '../infrastructure/failures.ts'
import type { Core } from '../service/core.ts'
import { operatorsIn, staffIn } from '../service/people/staff.ts'
import { phoneOf, presentMerchant } from './arguments.ts'
import { group, onData, required, several, value } from './command.ts'
import { aside } from '../application/machine.ts'

type Chosen = {
  readonly role: string
  readonly pos: readonly string[] | undefined
  readonly refundLimit: string | undefined
}

const termsOf = ({ role, pos, refundLimit }: Chosen, currency: string): StaffTerms => {
  if (!staffRoles.some((one) => one === role)) fail(`a role is one of ${staffRoles.join(', ')}`)
  if ((role === 'cashier') !== (pos !== undefined))
    fail('a cashier has one --pos or more, and nobody else has any')
  if ((role === 'support') !== (refundLimit !== undefined))
    fail('support has a --refund-limit, and nobody else has one')
  const limit = refundLimit === undefined ? 0 : parseAmount(refundLimit, currency)
  const read = staffTerms.safeParse({
    role,
    pointsOfSale: pos,
    refundLimit: { currency, amount: limit },
  })
  return read.success ? read.data : fail('--pos is the id of a point of sale, at most 100 of them')
}

const printedTerms = (terms: StaffTerms) => ({
  role: terms.role,
  ...(terms.role === 'cashier' && { pos: terms.pointsOfSale }),
  ...(terms.role === 'support' && {
    refund_limit: formatAmount(terms.refundLimit.amount, terms.refundLimit.currency),
  }),
})

type Work<Terms extends AnyTerms> = {
  readonly members: readonly Member<Terms>[]
  readonly invitedNumber: (phone: string) => string | undefined
  readonly nameOf: (person: string) => Promise<string | undefined>
}

const present = <Terms extends AnyTerms>({ members }: Work<Terms>): readonly Member<Terms>[] =>
  members.filter(({ status }) => status !== 'gone')

/** By the invited number, or the id printed by the list. @throws OperatorError */
const presentOne = <Terms extends AnyTerms>(
  work: Work<Terms>,
  text: string,
  whose: string,
): Member<Terms> => {
  const phone = phoneDigits(text)
  const isThat = (one: Member<Terms>) =>
    one.member === text || (phone !== undefined && work.invitedNumber(one.phone) === phone)
  return present(work).find(isThat) ?? fail(`nobody of ${whose} has that number`)
}

const list = <Terms extends AnyTerms>(work: Work<Terms>, printTerms: (terms: Terms) => object) =>
  Promise.all(
    present(work).map(async ({ member, person, phone, terms, status, since }) => ({
      member,
      phone: work.invitedNumber(phone) ?? null,
      name: status === 'joined' ? ((await work.nameOf(person)) ?? null) : null,
      ...printTerms(terms),
      status,
      since: new Date(since).toISOString(),
    })),
  )

const staffOf = async (core: Core, merchant: string): Promise<Work<StaffTerms>> => {
  await presentMerchant(core, merchant)
  const { invitedNumber, nameOf, findStaff } = staffIn(core)
  return { ...(await findStaff(merchant)), invitedNumber, nameOf }
}

/** `daybook staff` (interface 14): a merchant's staff in its portal. */
export const staffCommands = group('staff', 'who may do what in the portal of a merchant', [
  onData({
    name: 'add <merchant> <phone>',
    about: 'add whoever has an account with that number, or invite whoever will have',
    options: {
      role: required('<role>', `one of ${staffRoles.join(', ')}`),
      pos: several('<id>', 'a point of sale of a cashier, may be repeated'),
      refundLimit: value('<amount>', 'what support may refund of one payment'),
    },
    run: async (core, merchant, phone, chosen) => {
      const { currency } = await presentMerchant(core, merchant)
      const terms = termsOf(chosen, currency)
      for (const id of chosen.pos ?? [])
        if ((await core.find(pointsOfSale, within(merchant, id))).status !== 'present')
          fail(`${merchant} has no point of sale ${id}`)
      const invitation = { phone: phoneOf(core, phone), terms }
      const context = core.contextOf('operator', merchant)
      const { member, hasJoined } = await staffIn(core).addStaff(merchant, invitation, context)
      return { merchant, member, ...printedTerms(terms), status: hasJoined ? 'joined' : 'invited' }
    },
  }),
  onData({
    name: 'list <merchant>',
    about: 'list the staff',
    run: async (core, merchant) => list(await staffOf(core, merchant), printedTerms),
  }),
  onData({
    name: 'remove <merchant> <phone>',
    about: 'take somebody off the staff; the last owner stays',
    run: async (core, merchant, text) => {
      const { member } = presentOne(await staffOf(core, merchant), text, merchant)
      const context = core.contextOf('operator', merchant)
      await core.handle(staffs, merchant, { type: 'Remove', member }, context)
      return { merchant, member, removed: true }
    },
  }),
])

const role = required('<role>', `one of ${operatorRoles.join(', ')}`)

const operatorTermsOf = (role: string): OperatorTerms => {
  const read = operatorTerms.safeParse({ role })
  return read.success ? read.data : fail(`a role is one of ${operatorRoles.join(', ')}`)
}

const operatorsOf = async (core: Core): Promise<Work<OperatorTerms>> => {
  const { invitedNumber, nameOf, findOperators } = operatorsIn(core)
  return { ...(await findOperators()), invitedNumber, nameOf }
}

const operatorNamed = async (core: Core, text: string) =>
  presentOne(await operatorsOf(core), text, 'the operator')

/** `daybook operator` (interface 14): access to the pages at `/operator/`. */
export const operatorCommands = group('operator', 'your own people, at /operator/', [
  onData({
    name: 'add <phone>',
    about:
      'add whoever has an account with that number, or invite whoever will have; they are told',
    options: { role },
    run: async (core, phone, chosen) => {
      const invitation = { phone: phoneOf(core, phone), terms: operatorTermsOf(chosen.role) }
      const { messagesBeside } = await aside(() => import('../service/server.ts'))
      const messages = await messagesBeside(core)
      try {
        const { addOperator } = operatorsIn(core)
        const tell = addAndTell({ addOperator, sendMessage: messages.send })
        const added = await tell(invitation, messages.addedMessage, core.contextOf('operator'))
        await messages.settled()
        // The sandbox shows it instead of sending it.
        const [sandboxMessage] = messages.sentTo(undefined)
        const { member, hasJoined } = added
        return {
          member,
          role: invitation.terms.role,
          status: hasJoined ? 'joined' : 'invited',
          ...(sandboxMessage && { message: sandboxMessage.text }),
        }
      } finally {
        messages.stop()
      }
    },
  }),
  onData({
    name: 'change <phone>',
    about: 'give somebody another role',
    options: { role },
    run: async (core, text, chosen) => {
      const terms = operatorTermsOf(chosen.role)
      const { member } = await operatorNamed(core, text)
      const command = { type: 'ChangeRole', member, terms } as const
      await operatorsIn(core).changeOperators(command, core.contextOf('operator'))
      return { member, role: terms.role }
    },
  }),
  onData({
    name: 'list',
    about: 'list your people and their roles',
    run: async (core) => list(await operatorsOf(core), ({ role }) => ({ role })),
  }),
  onData({
    name: 'remove <phone>',
    about: 'take somebody off; the last admin stays',
    run: async (core, text) => {
      const { member } = await operatorNamed(core, text)
      const command = { type: 'Remove', member } as const
      await operatorsIn(core).changeOperators(command, core.contextOf('operator'))
      return { member, removed: true }
    },
  }),
])
