import { Refusal } from '../domain/refusal.ts'
import type { Aggregate, DecidedEvent, Find } from './handle.ts'

/**
 * The state in which an aggregate accepts a command, which is not carried out. As when it is, a "no" from memory counts
 * only when no other process has written since.
 * @throws Refusal
 */
export const findAccepting = async <Command, Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<Command, Event, State>,
  id: string,
  command: Command,
): Promise<State> => {
  const remembered = await find(aggregate, id)
  try {
    aggregate.decider.decide(command, remembered)
    return remembered
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const state = await find(aggregate, id, 'log')
  aggregate.decider.decide(command, state)
  return state
}
