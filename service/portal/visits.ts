import type { Context } from '../../application/handle.ts'
import { staffs } from '../../domain/aggregates.ts'
import type { StaffMember } from '../../domain/merchant/staff.ts'
import type { Operator } from '../../domain/people/operators.ts'
import { visitMs } from '../../domain/staff-members.ts'
import type { Core } from '../core.ts'
import type { operatorsIn } from '../people/staff.ts'

type Visitor = {
  readonly shop: { readonly merchant: string }
  readonly me: Visited
}
type Visited = Pick<StaffMember, 'member' | 'visits'>
type Visit = { readonly type: 'Visit'; readonly member: string }

/** Records visits, but not each page, in the background. */
const noting =
  ({ log }: Core) =>
  ({ member, visits }: Visited, { at }: Context, record: (visit: Visit) => Promise<unknown>) => {
    const [last] = visits
    if (last && at < last.at + visitMs) return
    void record({ type: 'Visit', member }).catch((error: unknown) =>
      log.debug({ error }, 'a visit was not recorded'),
    )
  }

export const staffVisits = (core: Core) => {
  const note = noting(core)
  return ({ shop: { merchant }, me }: Visitor, context: Context): void =>
    note(me, context, (visit) => core.handle(staffs, merchant, visit, context))
}

export const operatorVisits = (
  core: Core,
  { changeOperators }: Pick<ReturnType<typeof operatorsIn>, 'changeOperators'>,
) => {
  const note = noting(core)
  return (operator: Operator, context: Context): void =>
    note(operator, context, (visit) => changeOperators(visit, context))
}
