import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Changes, RegisterCommand } from '../../domain/register.ts'
import { fold } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/events.ts'
import { pos, posTypes } from '../../domain/merchant/pos.ts'
import { posRegister } from '../../projections/registers.ts'
import { decisionOf } from './given.ts'
import {
  given,
  type Event,
  type Data,
  till,
  renamed,
  located,
  register,
  change,
  remove,
  registered,
  changed,
  removed,
} from './tills.ts'

describe('an entry of a register', () => {
  test('given nothing, when it is registered, then it is', () => {
    expect(given().state).toEqual({ status: 'absent' })
    given().when(register()).then(registered)
    expect(given(registered).state).toEqual({ status: 'present', registered: till, data: till })
  })

  test('given it, when it is registered again with the same data, then nothing happens', () => {
    given(registered)
      .when(register({ ...till }))
      .thenNothing()
    given(registered, changed).when(register()).thenNothing()
  })

  test('given it, when its id is registered with other data, then it is refused', () => {
    given(registered).when(register(renamed)).thenRefused('id_used_with_other_data')
    given(registered, changed).when(register(renamed)).thenRefused('id_used_with_other_data')
  })

  test('given it, when it is changed, then it is; a change to what it is already is none', () => {
    given(registered).when(change(renamed)).then(changed)
    given(registered, changed).when(change(renamed)).thenNothing()
    given(registered).when(change(till)).thenNothing()
    given(registered, changed).when(change(till)).then({ type: 'PosChanged', data: till })
    expect(given(registered, changed).state).toEqual({
      status: 'present',
      registered: till,
      data: renamed,
    })
  })

  test('given it, when a change names some fields, then the others stay as they are', () => {
    const both: Event = { type: 'PosChanged', data: { ...located, name: 'Front till' } }
    const { location } = located
    given(registered, changed).when(change({ location })).then(both)
    given(registered, changed)
      .when(change({ location, name: undefined }))
      .then(both)
    given(registered, changed, both).when(change({ location })).thenNothing()
    for (const nothing of [{}, { name: undefined }])
      given(registered, changed).when(change(nothing)).thenNothing()
    given(registered, changed, both)
      .when(change({ location: null }))
      .then(changed)
  })

  test('given it, when another merchant changes or removes it, then it is unknown', () => {
    for (const command of [change({ name: 'Mine' }), change({}), remove]) {
      given(registered)
        .when({ ...command, merchant: 'thief' })
        .thenRefused('resource_is_unknown')
      const own = { ...command, merchant: 'sandbox' }
      expect(decisionOf(pos.decider, given(registered).state, own)).toEqual(
        decisionOf(pos.decider, given(registered).state, command),
      )
    }
  })

  test('given it, when it is removed, then it is gone', () => {
    given(registered).when(remove).then(removed)
    expect(given(registered, removed).state).toEqual({ status: 'removed' })
  })

  test('given none, or one removed, when it is changed or removed, then it is unknown', () => {
    for (const history of [[], [registered, removed]])
      for (const command of [change(till), remove])
        given(...history)
          .when(command)
          .thenRefused('resource_is_unknown')
  })

  test('given that it was removed, when its id is registered, then it is a new one', () => {
    const anew: Event = { type: 'PosRegistered', data: renamed }
    given(registered, removed).when(register(renamed)).then(anew)
    given(registered, removed, anew).when(register(renamed)).thenNothing()
    given(registered, removed, anew).when(register()).thenRefused('id_used_with_other_data')
  })
})

describe('for any history of commands', () => {
  const data = fc.constantFrom(till, renamed, located)
  const changes = fc.record<Changes<Data>>(
    {
      name: fc.constantFrom('Till', 'Front till', undefined),
      type: fc.constantFrom(...posTypes, undefined),
      location: fc.constantFrom(null, located.location, undefined),
    },
    { requiredKeys: [] },
  )
  const command: fc.Arbitrary<RegisterCommand<Data>> = fc.oneof(
    data.map((data) => register(data)),
    changes.map((changes) => change(changes)),
    fc.constant(remove),
  )
  const commands = fc.array(command, { maxLength: 20 })

  const play = (commands: readonly RegisterCommand<Data>[]): Event[] => {
    const events: Event[] = []
    for (const command of commands) {
      const decision = decisionOf(pos.decider, fold(pos.decider, events), command)
      if (typeof decision !== 'string') events.push(...decision)
    }
    return events
  }

  const logged = (event: Event, revision: number) =>
    ({
      ...event,
      stream: 'pos-sandbox/till-1',
      revision,
      position: revision + 1,
      metadata: { at: revision },
    }) as Recorded

  test('every command sent twice has the effect of one', () => {
    fc.assert(
      fc.property(commands, (commands) => {
        expect(play(commands.flatMap((command) => [command, command]))).toEqual(play(commands))
      }),
    )
  })

  test('it is there once registered, gone once removed, and never changes in vain', () => {
    fc.assert(
      fc.property(commands, (commands) => {
        const events = play(commands)
        let present: object | undefined
        for (const { type, data } of events) {
          expect(type === 'PosRegistered').toBe(present === undefined)
          expect(data).not.toEqual(present)
          present = type === 'PosRemoved' ? undefined : data
          expect(pos.events[type].parse(data)).toEqual(data)
          expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data)
        }
        expect(fold(pos.decider, events).status === 'present').toBe(present !== undefined)
      }),
    )
  })

  test('its row equals the fold of the decider, and keeps the place of its registration', () => {
    fc.assert(
      fc.property(commands, (commands) => {
        const events = play(commands)
        type Row = ReturnType<typeof posRegister.projection.apply>
        const row = events
          .map(logged)
          .reduce<Row>(
            (row, event) => posRegister.projection.apply(row, event, event.stream),
            undefined,
          )
        const entry = fold(pos.decider, events)
        expect(row?.data).toEqual(entry.status === 'present' ? entry.data : undefined)
        const place = events.findLastIndex(({ type }) => type === 'PosRegistered') + 1
        if (row) expect(row.position).toBe(place)
      }),
    )
  })
})
