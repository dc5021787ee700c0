import { z } from 'zod'
import type { Decider, EventsOf } from './decider.ts'
import { refuse } from './refusal.ts'
import type { Instant } from './time.ts'

export const clockEvents = {
  /** The sandbox clock runs this many milliseconds ahead of the machine. */
  ClockAdvanced: z.object({ aheadBy: z.int().nonnegative() }),
} as const

export type ClockEvent = EventsOf<typeof clockEvents>

export type Clock = {
  readonly aheadBy: number
  /** By how much it was ahead, from each instant of its own on, in order. */
  readonly steps: readonly { readonly from: Instant; readonly aheadBy: number }[]
}

/** The machine's time at an instant of the sandbox clock. */
export const machineTimeAt = ({ steps }: Clock, at: Instant): Instant =>
  at - (steps.findLast(({ from }) => from <= at)?.aheadBy ?? 0)

export type ClockCommand = {
  readonly type: 'AdvanceClock'
  readonly machine: Instant
} & ({ readonly by: number } | { readonly to: Instant })

/** Leaves room for deadlines before the end of year 9999, where DateTime ends. */
const lastInstant: Instant = Date.UTC(9998, 11, 31, 23, 59, 59)

/** The sandbox clock only moves forward (interface 15). */
export const clock: Decider<ClockCommand, ClockEvent, Clock> = {
  initial: { aheadBy: 0, steps: [] },
  decide(command, { aheadBy }) {
    const next = 'by' in command ? aheadBy + command.by : command.to - command.machine
    // A time shown in whole seconds may precede the real one by up to a second.
    if (next < aheadBy - 1000) return refuse('clock_moves_forward_only')
    if (command.machine + next > lastInstant) return refuse('clock_is_beyond_its_end')
    return next <= aheadBy ? [] : [{ type: 'ClockAdvanced', data: { aheadBy: next } }]
  },
  evolve: (clock, { data: { aheadBy } }, { at }) => {
    // An instant stored in whole seconds may lie just before this step.
    const from = Math.max(at, at - clock.aheadBy + aheadBy - 999)
    return { aheadBy, steps: [...clock.steps, { from, aheadBy }] }
  },
}
