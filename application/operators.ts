import { operators } from '../domain/aggregates.ts'
import type { OperatorTerms, Operator, Operators } from '../domain/people/operator-roles.ts'
import type { MemberCommand } from '../domain/staff-members.ts'
import type { Context } from './handle.ts'
import type { SendMessage } from './number-proofs.ts'
import { staffOf, type StaffNeeds } from './staff.ts'

/** The operator has only one staff. */
const own = 'daybook'

/** The actor name of an operator's staff member. */
export const operatorActor = (member: string): string => `operator:${member}`

/** The operator's own staff. */
export const makeOperators = (needs: StaffNeeds) => {
  const kind = { aggregate: operators, actorOf: operatorActor }
  const staff = staffOf<OperatorTerms>(needs, kind)
  const { nameOf, invitedNumber } = staff
  const findOperators = (): Promise<Operators> => staff.findStaff(own)
  return {
    nameOf,
    invitedNumber,
    findOperators,
    /** Invites somebody who has no account yet. @throws Refusal as `inviteStaff` */
    addOperator: (
      invitation: { readonly phone: string; readonly terms: OperatorTerms; readonly by?: string },
      context: Context,
    ) => staff.addStaff(own, invitation, context),
    changeOperators: async (command: MemberCommand<OperatorTerms>, context: Context) => {
      await needs.handle(operators, own, command, context)
    },
    /** The invitation of the account's number, if any. */
    invitationOf: async (payer: string): Promise<Operator | undefined> => {
      const persons = await staff.personsOf(payer)
      const { members } = await findOperators()
      return members.find((one) => one.status === 'invited' && persons.includes(one.person))
    },
    acceptOperator: (member: string, payer: string, context: Context) =>
      staff.acceptInvitation(own, member, payer, context),
  }
}

export type OperatorWork = ReturnType<typeof makeOperators>

type Notifying = Pick<OperatorWork, 'addOperator'> & {
  /** Undefined if the operator has configured no way to send messages. */
  readonly sendMessage: SendMessage | undefined
}

/** Adds or invites somebody and sends one message about it. @throws Refusal as `addOperator` */
export const addAndTell =
  ({ addOperator, sendMessage }: Notifying) =>
  async (invitation: Parameters<typeof addOperator>[0], text: string, context: Context) => {
    const added = await addOperator(invitation, context)
    if (added.isNew) sendMessage?.(invitation.phone, text, context.traceparent)
    return added
  }
