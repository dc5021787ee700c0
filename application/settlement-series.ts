import { settlementSeries } from '../domain/aggregates.ts'
import type { Context, Handle } from './handle.ts'

type Needs = {
  readonly handle: Handle
  /** The series that a merchant would have, the first, second and so on: six characters, which others may have, too. */
  readonly candidate: (merchant: string, number: number) => string
}

/** The series of a merchant: its first one that no other merchant has taken, and from now on its own. */
export const takeSeries =
  ({ handle, candidate }: Needs) =>
  async (merchant: string, context: Context): Promise<string> => {
    for (let number = 0; ; number++) {
      const series = candidate(merchant, number)
      const { state } = await handle(
        settlementSeries,
        series,
        { type: 'TakeSeries', merchant },
        context,
      )
      if (state.merchant === merchant) return series
    }
  }
