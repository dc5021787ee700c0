import type { DueWork } from '../../application/schedule.ts'
import { dayMs } from '../../domain/time.ts'
import type { Core } from '../core.ts'
import type { PastMoments } from './moments.ts'

/** Fewer events are folded so quickly that no file is kept. */
const enough = 10_000

/**
 * Keeps the read models as of the end of each busy day (UTC), so that later queries fold only the
 * events since.
 */
export const keepDays = (
  { moments, tree }: Pick<Core, 'moments' | 'tree'>,
  { files, keep }: Pick<PastMoments, 'files' | 'keep'>,
  eventsWorthKeeping = enough,
): DueWork => {
  let begun = -1
  return async (now) => {
    if (begun < 0) files.removeOthers()
    const day = Math.floor(now / dayMs)
    if (day !== begun) {
      const end = moments.positionAt(day * dayMs - 1)
      const [nearest] = files.upTo(end)
      const count = (position: number): number => (tree.indexOf(position) ?? -1) + 1
      if (count(end) - count(nearest?.position ?? 0) >= eventsWorthKeeping) await keep(end)
      begun = day
    }
    return (day + 1) * dayMs
  }
}
