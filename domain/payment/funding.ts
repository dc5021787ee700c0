import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

export const fundingEvents = {
  /** The funding source has been notified of all movements up to this log position. */
  FundingInformed: z.object({ position: z.int().nonnegative() }),
} as const

export type FundingEvent = EventsOf<typeof fundingEvents>

/** Null until the first source that wants notifications. */
export type Funding = { readonly informedTo: number | null }

export type FundingCommand = { readonly type: 'NoteInformed'; readonly position: number }

/**
 * How far the funding source has been notified (interface 12). Several nodes may record the same
 * position.
 */
export const funding: Decider<FundingCommand, FundingEvent, Funding> = {
  initial: { informedTo: null },
  decide: ({ position }, { informedTo }) =>
    informedTo !== null && position <= informedTo
      ? []
      : [{ type: 'FundingInformed', data: { position } }],
  // In a log copied from another store, the position refers to that store and may lie beyond this
  // log's end. Every movement it covers precedes it.
  evolve: (_, { data }, { position }) => ({
    informedTo: position < 0 ? data.position : Math.min(data.position, position),
  }),
}
