import { z } from 'zod'
import type { Decider } from './decider.ts'
import {
  deciding,
  evolved,
  type AnyTerms,
  type Change,
  type MemberCommand,
  type Members,
  type Rules,
} from './staff-members.ts'

type MemberEvent<Name extends string, Terms> =
  Change<Terms> extends infer One extends Change<Terms>
    ? One extends { readonly kind: infer Kind extends string; readonly data: infer Data }
      ? { readonly type: `${Name}${Kind}`; readonly data: Data }
      : never
    : never

const eventsOf = <Name extends string, Terms extends AnyTerms>(
  name: Name,
  terms: z.ZodType<Terms>,
) => {
  /** Differs between staffs, so that it does not link a person's employers. */
  const member = z.string()
  /** The person's id in the vault; for a payer, the account's id. */
  const person = z.string()
  const ofMember = z.object({ member })
  return {
    [`${name}Invited`]: z.object({
      member,
      person,
      phone: z.string(),
      terms,
      /** Who invited them; the operator where it is absent. */
      by: z.string().optional(),
    }),
    /** `person`: the joining account; differs from the invited one if the number has moved. */
    [`${name}Joined`]: z.object({ member, person }),
    [`${name}RoleChanged`]: z.object({ member, terms }),
    [`${name}Removed`]: ofMember,
    [`${name}Left`]: ofMember,
    /** Recorded at most once in a while. */
    [`${name}Visited`]: ofMember,
  } as unknown as {
    readonly [Type in MemberEvent<Name, Terms>['type']]: z.ZodType<
      Extract<MemberEvent<Name, Terms>, { readonly type: Type }>['data']
    >
  }
}

/** The staff of a merchant or of the operator: people are invited, join, change roles and leave. */
export const staffRegister = <Name extends string, Terms extends AnyTerms>(
  name: Name,
  terms: z.ZodType<Terms>,
  rules: Rules<Terms>,
) => {
  type Event = MemberEvent<Name, Terms>
  const decide = deciding(rules)
  const decider: Decider<MemberCommand<Terms>, Event, Members<Terms>> = {
    initial: { members: [] },
    decide: (command, staff) =>
      decide(command, staff).map(({ kind, data }) => ({
        type: `${name}${kind}`,
        data,
      })) as readonly Event[],
    evolve: (staff, { type, data }, { at, position }) => {
      const change = { kind: type.slice(name.length), data } as Change<Terms>
      return evolved(staff, change, { at, position }, rules)
    },
  }
  return { decider, events: eventsOf(name, terms) }
}
