import { findProfile } from '../../application/people.ts'
import { makeStaff } from '../../application/staff.ts'
import type { Core } from '../core.ts'

const memberIdLength = 16

/** The staff of merchants, for the service and for the operator's command. */
export const staffIn = (core: Core) => {
  const { handle, find, readModels, merchants } = core
  const { vault: people, payers, derive } = core.people
  return makeStaff({
    ...{ handle, find, people },
    findProfile: findProfile({ find, people }),
    holderOf: payers.byIdOrPhone,
    memberIdOf: (merchant, person) =>
      derive('staff', merchant, person).replaceAll(/[-_]/g, '').slice(0, memberIdLength),
    caughtUp: readModels.caughtUp,
    rows: merchants.staff,
  })
}
