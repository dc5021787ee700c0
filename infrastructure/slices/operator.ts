import type { Context } from '../../application/handle.ts'
import type { Operator } from '../../domain/people/operators.ts'
import { visitMs } from '../../domain/staff-members.ts'
import type { Core } from '../core.ts'
import type { Log } from '../log.ts'
import { operatorsIn } from '../people/staff.ts'

/** What the people of the operator see and do. */
export const operatorSlice = (core: Core, log: Log) => {
  const work = operatorsIn(core)
  const noteOperatorVisit = ({ member, visits: [last] }: Operator, context: Context): void => {
    if (last && context.at < last.at + visitMs) return
    void work
      .changeOperators({ type: 'Visit', member }, context)
      .catch((error: unknown) => log.debug({ error }, 'a visit was not recorded'))
  }
  return { ...work, noteOperatorVisit }
}
