import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

export const seriesEvents = {
  /** The settlement ids of this merchant begin with the series, and those of no other. */
  SeriesTaken: z.object({ merchant: z.string() }),
} as const

export type SeriesEvent = EventsOf<typeof seriesEvents>

export type SeriesCommand = { readonly type: 'TakeSeries'; readonly merchant: string }

/** Whose series it is; nobody's yet when null. */
export type Series = { readonly merchant: string | null }

/** Six characters that settlement ids begin with (interface 8): whoever takes them first keeps them. */
export const series: Decider<SeriesCommand, SeriesEvent, Series> = {
  initial: { merchant: null },
  decide: ({ merchant }, taken) =>
    taken.merchant === null ? [{ type: 'SeriesTaken', data: { merchant } }] : [],
  evolve: (_, { data }) => ({ merchant: data.merchant }),
}
