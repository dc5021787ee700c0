import type { Command } from 'commander'
import { phoneDigits } from '../application/people.ts'
import { staffs } from '../domain/aggregates.ts'
import { staffRoles, staffTerms, type StaffTerms } from '../domain/merchant/staff-roles.ts'
import type { StaffMember } from '../domain/merchant/staff.ts'
import { formatAmount, parseAmount } from '../domain/money/money.ts'
import type { Core } from '../service/core.ts'
import { fail } from '../infrastructure/failures.ts'
import { staffIn } from '../service/people/staff.ts'
import { collect, phoneOf, presentMerchant } from './arguments.ts'
import type { WithCore } from './with-core.ts'

type Given = {
  readonly role: string
  readonly pos?: readonly string[]
  readonly refundLimit?: string
}

const termsOf = ({ role, pos, refundLimit }: Given, currency: string): StaffTerms => {
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

const shownTerms = (terms: StaffTerms) => ({
  role: terms.role,
  ...(terms.role === 'cashier' && { pos: terms.pointsOfSale }),
  ...(terms.role === 'support' && {
    refund_limit: formatAmount(terms.refundLimit.amount, terms.refundLimit.currency),
  }),
})

const add = async (core: Core, merchant: string, phoneText: string, given: Given) => {
  const { currency } = await presentMerchant(core, merchant)
  const terms = termsOf(given, currency)
  const asked = { phone: phoneOf(phoneText), terms }
  const added = await staffIn(core).addStaff(merchant, asked, core.contextOf('operator', merchant))
  const { member, hasJoined } = added
  return { merchant, member, ...shownTerms(terms), status: hasJoined ? 'joined' : 'invited' }
}

const presentMembers = async (core: Core, merchant: string): Promise<readonly StaffMember[]> => {
  await presentMerchant(core, merchant)
  const { members } = await staffIn(core).findStaff(merchant)
  return members.filter(({ status }) => status !== 'gone')
}

const list = async (core: Core, merchant: string) => {
  const { invitedNumber, nameOf } = staffIn(core)
  const members = await presentMembers(core, merchant)
  return Promise.all(
    members.map(async ({ member, person, phone, terms, status, since }) => ({
      member,
      phone: invitedNumber(phone) ?? null,
      name: status === 'joined' ? ((await nameOf(person)) ?? null) : null,
      ...shownTerms(terms),
      status,
      since: new Date(since).toISOString(),
    })),
  )
}

/** By the invited number, or the id printed by `staff list`. */
const remove = async (core: Core, merchant: string, text: string) => {
  const { invitedNumber } = staffIn(core)
  const phone = phoneDigits(text)
  const found = (await presentMembers(core, merchant)).find(
    (one) => one.member === text || (phone !== undefined && invitedNumber(one.phone) === phone),
  )
  if (!found) return fail(`nobody of ${merchant} has that number`)
  const command = { type: 'Remove', member: found.member } as const
  await core.handle(staffs, merchant, command, core.contextOf('operator', merchant))
  return { merchant, member: found.member, removed: true }
}

/** `daybook staff` (interface 14): a merchant's staff in its portal. */
export const addStaffCommands = (program: Command, withCore: WithCore): void => {
  const staff = program.command('staff').description('who may do what in the portal of a merchant')
  staff
    .command('add <merchant> <phone>')
    .description('add whoever has an account with that number, or invite whoever will have')
    .requiredOption('--role <role>', `one of ${staffRoles.join(', ')}`)
    .option('--pos <id>', 'a point of sale of a cashier, may be repeated', collect)
    .option('--refund-limit <amount>', 'what support may refund of one payment')
    .action(withCore(add))
  staff.command('list <merchant>').description('list the staff').action(withCore(list))
  staff
    .command('remove <merchant> <phone>')
    .description('take somebody off the staff; the last owner stays')
    .action(withCore(remove))
}
