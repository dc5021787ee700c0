import { Refusal } from '../domain/refusal.ts'
import { streamOf } from '../domain/stream.ts'
import type { Aggregate, DecidedEvent, Find } from './find-state.ts'

/** Reads the log again if the cached state fails the check. */
export const findRechecked = async <Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<never, Event, State>,
  id: string,
  isWanted: (state: State) => boolean,
): Promise<State> => {
  const cached = await find(aggregate, id)
  return isWanted(cached) ? cached : find(aggregate, id, 'log')
}

/** Removed entries may have been registered again by another process. */
export const isPresent = ({ status }: { readonly status: string }): boolean => status === 'present'

/**
 * Checks that a command would be accepted, without executing it, and returns the state. A cached
 * refusal is verified against the log. @throws Refusal
 */
export const dryRun = async <Command, Event extends DecidedEvent, State>(
  find: Find,
  aggregate: Aggregate<Command, Event, State>,
  id: string,
  command: Command,
): Promise<State> => {
  const cached = await find(aggregate, id)
  try {
    aggregate.decider.decide(command, cached)
    return cached
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const state = await find(aggregate, id, 'log')
  try {
    aggregate.decider.decide(command, state)
    return state
  } catch (error) {
    if (error instanceof Refusal)
      error.decision = { stream: streamOf(aggregate, id), command: command as object }
    throw error
  }
}
