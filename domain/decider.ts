import type { z } from 'zod'
import type { Instant } from './time.ts'

/** When an event was decided, and its position in the log. */
export type Place = { readonly at: Instant; readonly position: number }

/** A pure state machine: `decide` turns a command into events, `evolve` folds an event into the state. */
export type Decider<Command, Event, State> = {
  readonly initial: State
  /** Answers a repeated command with no events. @throws Refusal when the command is not allowed now. */
  decide(command: Command, state: State): readonly Event[]
  /** Never fails and never looks at the clock. */
  evolve(state: State, event: Event, place: Place): State
}

/** The events that a table of schemas describes, each with its type and its data. */
export type EventsOf<Table extends Record<string, z.ZodType>> = {
  [Type in keyof Table & string]: { readonly type: Type; readonly data: z.output<Table[Type]> }
}[keyof Table & string]

/** For deciders whose state holds neither times nor positions. */
const nowhere: Place = { at: 0, position: -1 }

/** The state after events that were appended together. */
export const fold = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  events: Iterable<Event>,
  from: State = decider.initial,
  place: Place = nowhere,
): State => {
  let state = from
  for (const event of events) state = decider.evolve(state, event, place)
  return state
}
