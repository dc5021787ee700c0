import type { z } from 'zod'
import type { Instant } from './time.ts'

/** When a change was signed, or made without a signature, in whole seconds of the machine. */
export type SigningTime = {
  readonly at: Instant
  /** A digest. */
  readonly signature: string | null
}

/** When and where an event was recorded. */
export type Place = {
  readonly at: Instant
  readonly position: number
  /** Only for aggregates with ordered signed changes. */
  readonly asked?: SigningTime | undefined
}

/** A pure state machine: `decide` turns a command into events, `evolve` folds an event. */
export type Decider<Command, Event, State> = {
  readonly initial: State
  /**
   * Returns no events for a repeated command. @throws Refusal when the command is not allowed now
   */
  decide(command: Command, state: State, signing?: SigningTime): readonly Event[]
  /** Never fails and never looks at the clock. */
  evolve(state: State, event: Event, place: Place): State
}

/** The union of events that a table of schemas describes. */
export type EventsOf<Table extends Record<string, z.ZodType>> = {
  [Type in keyof Table & string]: { readonly type: Type; readonly data: z.output<Table[Type]> }
}[keyof Table & string]

/** For states without times and positions. */
const nowhere: Place = { at: 0, position: -1 }

/** Folds events that were appended together. */
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
