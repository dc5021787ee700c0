import { keepDays } from '../as-of/keep-days.ts'
import { makePast } from '../as-of/moments.ts'
import type { Core } from '../core.ts'

/** What was known at earlier moments. The ends of days are kept beside the requests. */
export const asOfSlice = (core: Core) => {
  const past = makePast(core)
  return {
    past,
    // Of the processes of a directory one keeps them. What is under way is given up at a stop.
    work: [{ due: keepDays(core, past), isTelling: true, giveUp: past.close }],
  }
}
