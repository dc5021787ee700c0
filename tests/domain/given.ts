import { expect } from 'vitest'
import { fold, type Decider } from '../../domain/decider.ts'
import { Refusal, type RefusalCode } from '../../domain/refusal.ts'

/** What a command led to: its events, or the reason for which it was refused. */
export const decisionOf = <Command, Event, State>(
  { decide }: Decider<Command, Event, State>,
  state: State,
  command: Command,
): readonly Event[] | RefusalCode => {
  try {
    return decide(command, state)
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

/**
 * Examples of a decider: given what happened, when a command comes, then events follow, or a
 * refusal.
 */
export const examplesOf =
  <Command, Event, State>(decider: Decider<Command, Event, State>) =>
  (...history: readonly Event[]) => {
    const state = fold(decider, history)
    return {
      state,
      when: (command: Command) => {
        const decision = decisionOf(decider, state, command)
        return {
          then: (...events: readonly Event[]) => expect(decision).toEqual(events),
          /** It has happened before: all is well, and nothing happens again. */
          thenNothing: () => expect(decision).toEqual([]),
          thenRefused: (code: RefusalCode) => expect(decision).toBe(code),
        }
      },
    }
  }

/** The code with which some work is refused, or what it answered instead. */
export const refusalOf = (work: () => unknown): string => {
  try {
    return `answered ${String(work())}`
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
