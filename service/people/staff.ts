import { makeOperators } from '../../application/operators.ts'
import { findProfile } from '../../application/people.ts'
import { makeStaff } from '../../application/staff.ts'
import type { Core } from '../core.ts'

const memberIdLength = 16

const memberId =
  ({ derive }: Pick<Core, 'derive'>, kind: string) =>
  (staff: string, person: string): string =>
    derive(kind, staff, person).replaceAll(/[-_]/g, '').slice(0, memberIdLength)

/** The staff of merchants, for the service and for the operator's command. */
export const staffIn = (core: Core) => {
  const { handle, find, vault: people } = core
  return makeStaff({
    handle,
    find,
    people,
    findProfile: findProfile({ find, people }),
    holderOf: core.payerDirectory.byIdOrPhone,
    memberIdOf: memberId(core, 'staff'),
    caughtUp: core.readModels.caughtUp,
    rows: core.merchants.staff,
  })
}

export const operatorsIn = (core: Core) => {
  const { handle, find, vault: people } = core
  return makeOperators({
    handle,
    find,
    people,
    findProfile: findProfile({ find, people }),
    holderOf: core.payerDirectory.byIdOrPhone,
    memberIdOf: memberId(core, 'operator'),
  })
}
