import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clock,
  clockEvents,
  machineTimeAt,
  type ClockCommand,
  type ClockEvent,
} from '../../domain/clock.ts'
import { fold } from '../../domain/decider.ts'
import { authorizationLifetime, secondsAfter } from '../../domain/time.ts'
import { decisionOf, examplesOf } from './given.ts'

const given = examplesOf(clock)
const machine = Date.UTC(2026, 10, 21, 9, 30, 0, 123)
const end = Date.UTC(9998, 11, 31, 23, 59, 59)

const by = (milliseconds: number) => ({ type: 'AdvanceClock', machine, by: milliseconds }) as const
const to = (instant: number) => ({ type: 'AdvanceClock', machine, to: instant }) as const
const ahead = (aheadBy: number) => ({ type: 'ClockAdvanced', data: { aheadBy } }) as const

describe('the clock of the sandbox', () => {
  test('given nothing, when it is advanced, then it is ahead by as much', () => {
    expect(given().state.aheadBy).toBe(0)
    given().when(by(5000)).then(ahead(5000))
    given()
      .when(to(machine + 5000))
      .then(ahead(5000))
  })

  test('given that it is ahead, when it is advanced, that comes on top; a time is a time', () => {
    given(ahead(3000)).when(by(5000)).then(ahead(8000))
    given(ahead(3000))
      .when(to(machine + 5000))
      .then(ahead(5000))
    expect(given(ahead(3000), ahead(8000)).state.aheadBy).toBe(8000)
  })

  test('given an advanced clock, each of its instants maps to the machine’s time', () => {
    let state = clock.initial
    for (const [at, aheadBy] of [
      [machine, 60_000],
      [machine + 70_000, 90_000],
    ] as const)
      state = clock.evolve(state, ahead(aheadBy), { at, position: 0 })
    expect(machineTimeAt(state, machine - 1)).toBe(machine - 1)
    expect(machineTimeAt(state, machine + 65_000)).toBe(machine + 5_000)
    expect(machineTimeAt(state, machine + 100_000)).toBe(machine + 10_000)
    // In whole seconds: what happened just after a step.
    const second = Math.floor((machine + 60_000) / 1000) * 1000
    expect(machineTimeAt(state, second)).toBe(second - 60_000)
  })

  test('given that it is ahead, when it shall stay where it is, then nothing happens', () => {
    given(ahead(5000)).when(by(0)).thenNothing()
    given(ahead(5000))
      .when(to(machine + 5000))
      .thenNothing()
  })

  test('given that it is ahead, when it shall go back further than a second, it is refused', () => {
    given(ahead(5000))
      .when(to(machine + 4000))
      .thenNothing()
    given(ahead(5000))
      .when(to(machine + 3999))
      .thenRefused('clock_moves_forward_only')
    given(ahead(5000)).when(by(-1001)).thenRefused('clock_moves_forward_only')
  })

  test('given any, when it shall go beyond what a DateTime can say, then it is refused', () => {
    given()
      .when(to(end))
      .then(ahead(end - machine))
    given()
      .when(to(end + 1))
      .thenRefused('clock_is_beyond_its_end')
    given(ahead(end - machine))
      .when(by(1))
      .thenRefused('clock_is_beyond_its_end')
    given().when(by(Number.MAX_SAFE_INTEGER)).thenRefused('clock_is_beyond_its_end')
  })

  const milliseconds = fc.oneof(
    fc.integer({ min: -5000, max: 100_000 }),
    fc.constantFrom(0, -1000, 1000, 2 ** 45, Number.MAX_SAFE_INTEGER),
  )
  const instant = milliseconds.map((offset) => machine + offset)
  const command: fc.Arbitrary<ClockCommand> = fc.oneof(
    fc.record({ type: fc.constant('AdvanceClock' as const), machine: instant, by: milliseconds }),
    fc.record({ type: fc.constant('AdvanceClock' as const), machine: instant, to: instant }),
  )

  test('for any commands, it never goes back or beyond its end; events survive JSON', () => {
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const events: ClockEvent[] = []
        for (const command of commands) {
          const state = fold(clock, events)
          const decision = decisionOf(clock, state, command)
          if (typeof decision === 'string') continue
          for (const { data } of decision) {
            expect(data.aheadBy).toBeGreaterThan(state.aheadBy)
            expect(command.machine + data.aheadBy).toBeLessThanOrEqual(end)
            expect(clockEvents.ClockAdvanced.parse(JSON.parse(JSON.stringify(data)))).toEqual(data)
            if ('to' in command) expect(command.machine + data.aheadBy).toBe(command.to)
          }
          events.push(...decision)
          if ('to' in command) expect(decisionOf(clock, fold(clock, events), command)).toEqual([])
        }
      }),
    )
  })
})

describe('a deadline', () => {
  test('lies whole seconds after the second in which it was set', () => {
    expect(secondsAfter(machine, 60)).toBe(Date.UTC(2026, 10, 21, 9, 31))
    expect(secondsAfter(machine - 123, 60)).toBe(Date.UTC(2026, 10, 21, 9, 31))
    expect(secondsAfter(machine + 876, 0)).toBe(Date.UTC(2026, 10, 21, 9, 30))
  })

  test('of an authorisation is three days', () => {
    expect(authorizationLifetime).toBe(3 * 24 * 60 * 60)
  })
})
