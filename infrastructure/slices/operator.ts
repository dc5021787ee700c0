import type { Core } from '../core.ts'
import { figuresOf } from '../merchant-figures.ts'
import { operatorsIn, staffIn } from '../people/staff.ts'
import { operatorVisits } from '../visits.ts'
import { waitingIn } from '../waiting-work.ts'

/** What the people of the operator see and do. */
export const operatorSlice = (core: Core) => {
  const operators = operatorsIn(core)
  return {
    ...operators,
    ...figuresOf(core),
    ...waitingIn(core),
    findStaff: staffIn(core).findStaff,
    noteOperatorVisit: operatorVisits(core, operators),
    listMerchants: core.merchants.list.page,
  }
}
