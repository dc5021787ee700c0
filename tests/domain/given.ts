import { expect } from 'vitest'
import { fold, type Decider } from '../../domain/decider.ts'
import { Refusal, type RefusalCode } from '../../domain/refusal.ts'

/** The events of a command, or the reason for its refusal. */
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

/** Examples of a decider: given events, when a command, then events or a refusal. */
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
          /** It has happened before, so nothing happens. */
          thenNothing: () => expect(decision).toEqual([]),
          thenRefused: (code: RefusalCode) => expect(decision).toBe(code),
        }
      },
    }
  }

/** The refusal code of some work, or its result. */
export const refusalOf = (work: () => unknown): string => {
  try {
    return `answered ${String(work())}`
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}
