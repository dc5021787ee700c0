import { z } from 'zod'
import type { Causes } from '../causes.ts'
import type { Decider, EventsOf } from '../decider.ts'

export const fundingEvents = {
  /** The funding source has been told of all movements up to this log position. */
  FundingInformed: z.object({ position: z.int().nonnegative() }),
} as const

type FundingEvent = EventsOf<typeof fundingEvents>
/** Null before the first source that wants to be told. */
type Funding = { readonly informedTo: number | null }
type FundingCommand = { readonly type: 'NoteInformed'; readonly position: number }

/**
 * How far the funding source has been informed (interface 12); several nodes may record the same.
 */
export const funding: Decider<FundingCommand, FundingEvent, Funding> = {
  initial: { informedTo: null },
  decide: ({ position }, { informedTo }) =>
    informedTo !== null && position <= informedTo
      ? []
      : [{ type: 'FundingInformed', data: { position } }],
  // In a log that was copied here, the note names a place of the other store, perhaps beyond the
  // end of this one. It came after all that it tells of.
  evolve: (_, { data }, { position }) => ({
    informedTo: position < 0 ? data.position : Math.min(data.position, position),
  }),
}

export const fundingCauses: Causes<FundingCommand, FundingEvent, Funding> = {
  FundingInformed: ({ position }) => [{ type: 'NoteInformed', position }],
}
