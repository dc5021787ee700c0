import type { Core } from '../core.ts'
import { operatorsIn } from '../people/staff.ts'
import { operatorVisits } from '../visits.ts'

/** What the people of the operator see and do. */
export const operatorSlice = (core: Core) => {
  const operators = operatorsIn(core)
  return { ...operators, noteOperatorVisit: operatorVisits(core, operators) }
}
