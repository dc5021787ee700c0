import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'

export const fundingEvents = {
  /** The funding source knows what has become of all money that it approved, up to this position of the log. */
  FundingInformed: z.object({ position: z.int().nonnegative() }),
} as const

type FundingEvent = EventsOf<typeof fundingEvents>
/** Null before the first funding source that wants to know. */
type Funding = { readonly informedTo: number | null }
type FundingCommand = { readonly type: 'NoteInformed'; readonly position: number }

/** How far the funding source has been told what became of money (interface 12). Several nodes may tell the same. */
export const funding: Decider<FundingCommand, FundingEvent, Funding> = {
  initial: { informedTo: null },
  decide: ({ position }, { informedTo }) =>
    informedTo !== null && position <= informedTo
      ? []
      : [{ type: 'FundingInformed', data: { position } }],
  evolve: (_, { data }) => ({ informedTo: data.position }),
}
