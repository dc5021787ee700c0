import { settlementSeries } from '../domain/aggregates.ts'
import type { Context, Handle } from './handle.ts'

type Needs = {
  readonly handle: Handle
  /** The merchant's first, second … candidate; merchants may share candidates. */
  readonly candidate: (merchant: string, number: number) => string
}

/** Takes the first candidate that no other merchant has. */
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
