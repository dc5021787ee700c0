import type { z } from 'zod'

/** A pure state machine: `decide` turns a command into events, `evolve` folds an event into the state. */
export type Decider<Command, Event, State> = {
  readonly initial: State
  /** Answers a repeated command with no events. @throws Refusal when the command is not allowed now. */
  decide(command: Command, state: State): readonly Event[]
  /** Never fails and never looks at the clock. */
  evolve(state: State, event: Event): State
}

/** The events that a table of schemas describes, each with its type and its data. */
export type EventsOf<Table extends Record<string, z.ZodType>> = {
  [Type in keyof Table & string]: { readonly type: Type; readonly data: z.output<Table[Type]> }
}[keyof Table & string]

/** The state after a history. */
export const fold = <Command, Event, State>(
  decider: Decider<Command, Event, State>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State => {
  let state = from
  for (const event of events) state = decider.evolve(state, event)
  return state
}
