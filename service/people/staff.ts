import { makeOperators } from '../../application/operators.ts'
import { findProfile } from '../../application/people.ts'
import { makeStaff } from '../../application/staff.ts'
import type { Core } from '../core.ts'

const memberIdLength = 16

const needsOf = ({ handle, find, people: { vault: people, payers, derive } }: Core) => ({
  ...{ handle, find, people },
  findProfile: findProfile({ find, people }),
  holderOf: payers.byIdOrPhone,
  memberId: (kind: string, staff: string, person: string): string =>
    derive(kind, staff, person).replaceAll(/[-_]/g, '').slice(0, memberIdLength),
})

/** The staff of merchants, for the service and for the operator's command. */
export const staffIn = (core: Core) => {
  const { memberId, ...needs } = needsOf(core)
  return makeStaff({
    ...needs,
    memberIdOf: (merchant, person) => memberId('staff', merchant, person),
    caughtUp: core.readModels.caughtUp,
    rows: core.merchants.staff,
  })
}

/** The operator's own staff. */
export const operatorsIn = (core: Core) => {
  const { memberId, ...needs } = needsOf(core)
  return makeOperators({
    ...needs,
    memberIdOf: (staff, person) => memberId('operator', staff, person),
  })
}
