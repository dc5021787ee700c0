import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

export const seriesEvents = {
  /** Only this merchant's settlement ids start with the series. */
  SeriesTaken: z.object({ merchant: z.string() }),
} as const

export type SeriesEvent = EventsOf<typeof seriesEvents>

export type SeriesCommand = { readonly type: 'TakeSeries'; readonly merchant: string }

/** Null while nobody owns it. */
export type Series = { readonly merchant: string | null }

/**
 * Six characters that settlement ids start with (interface 8); the first merchant to take them
 * keeps them.
 */
export const series: Decider<SeriesCommand, SeriesEvent, Series> = {
  initial: { merchant: null },
  decide: ({ merchant }, taken) =>
    taken.merchant === null ? [{ type: 'SeriesTaken', data: { merchant } }] : [],
  evolve: (_, { data }) => ({ merchant: data.merchant }),
}
