import { Refusal } from '../domain/refusal.ts'
import type { Aggregate, DecidedEvent, Find } from './handle.ts'

/** The state of an aggregate: as it is remembered when that is as wanted, else as it stands in the log now. */
export const findRechecked = async <Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<never, Event, State>,
  id: string,
  isWanted: (state: State) => boolean,
): Promise<State> => {
  const remembered = await find(aggregate, id)
  return isWanted(remembered) ? remembered : find(aggregate, id, 'log')
}

/** An entry of a register that is there; one that was removed may be registered anew by another process. */
export const isPresent = ({ status }: { readonly status: string }): boolean => status === 'present'

/**
 * The state in which an aggregate accepts a command, which is not carried out. As when it is, a "no" from memory counts
 * only when no other process has written since.
 * @throws Refusal
 */
export const dryRun = async <Command, Event extends DecidedEvent, State>(
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
