import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Changes } from '../../domain/changes.ts'
import { fold } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/events.ts'
import { installation } from '../../domain/installation.ts'
import { integrator } from '../../domain/merchant/integrator.ts'
import { merchant } from '../../domain/merchant/merchant.ts'
import { pos, posTypes } from '../../domain/merchant/pos.ts'
import { shortlink } from '../../domain/merchant/shortlink.ts'
import { signingKey } from '../../domain/merchant/signing-key.ts'
import { user } from '../../domain/merchant/user.ts'
import { application } from '../../domain/people/application.ts'
import type { RegisterCommand } from '../../domain/register.ts'
import { jsonEquals } from '../../domain/json-equality.ts'
import { posRegister } from '../../projections/registers.ts'
import { decisionOf, examplesOf } from './given.ts'

const given = examplesOf(pos.decider)
type Event = ReturnType<typeof pos.decider.decide>[number]
type Data = z.output<typeof pos.events.PosRegistered>

const till = {
  merchant: 'sandbox',
  id: 'till-1',
  name: 'Till',
  type: 'store',
  location: null,
} as const
const renamed = { ...till, name: 'Front till' }
const located = { ...till, location: { latitude: 59.9, longitude: 10.7, accuracy: null } }

const register = (data: Data = till) => ({ type: 'Register', data }) as const
const change = (changes: Changes<Data>) => ({ type: 'Change', changes }) as const
const remove = { type: 'Remove' } as const

const registered: Event = { type: 'PosRegistered', data: till }
const changed: Event = { type: 'PosChanged', data: renamed }
const removed: Event = { type: 'PosRemoved', data: {} }

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

  test('given it, when it is changed or removed as that of another merchant, then it is unknown', () => {
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

  test('given nothing, or that it was removed, when it is changed or removed, then it is unknown', () => {
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

  test('it is there after a registration or a change, gone after a removal, and never changes in vain', () => {
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

describe('the registers', () => {
  const kept = ['Registered', 'Changed', 'Removed']
  const switched = [...kept, 'Disabled', 'Enabled']

  test.each([
    [merchant, switched],
    [integrator, switched],
    [user, switched],
    [application, switched],
    [shortlink, kept],
    [pos, kept],
    [signingKey, kept],
  ] as const)('$name has events of its own name', ({ name, events }, suffixes) => {
    expect(Object.keys(events)).toEqual(suffixes.map((suffix) => `${name}${suffix}`))
  })

  test.each([
    [integrator, { id: 'acme', name: 'Acme', publicKey: 'PEM', merchants: ['sandbox'] }],
    [
      shortlink,
      {
        merchant: 'sandbox',
        id: 'code',
        callbackUri: null,
        description: 'Table 5',
        serialNumber: null,
      },
    ],
    [
      user,
      {
        merchant: 'sandbox',
        id: 'pos1',
        roles: ['user', 'superuser'],
        netmask: '10.0.0.0/8',
        secretHash: null,
        publicKey: null,
      },
    ],
    [pos, located],
    [signingKey, { id: 'k1', rsa: 'PEM', ed25519: 'PEM', validFrom: 0 }],
  ])('$name keeps every field of an entry, and needs each of them', ({ name, events }, data) => {
    const schema = Object.entries(events).find(([type]) => type === `${name}Registered`)?.[1]
    expect(schema?.parse(data)).toEqual(data)
    for (const field of Object.keys(data)) {
      const { [field as keyof typeof data]: _, ...rest } = data
      expect(schema?.safeParse(rest).success).toBe(false)
    }
  })

  test('a merchant needs what it always had, and is without what it does not tell', () => {
    const { MerchantRegistered } = merchant.events
    const old = {
      id: 'sandbox',
      businessName: 'Soup',
      currency: 'NOK',
      lookupIds: ['999'],
      netmask: null,
    }
    const whole = MerchantRegistered.parse(old)
    expect(whole).toMatchObject({ ...old, mcc: null, logo: null, settlementAccountId: 'default' })
    expect(whole.profile).toMatchObject({ addressLines: [], postalCode: null })
    expect(MerchantRegistered.parse(whole)).toEqual(whole)
    for (const field of Object.keys(old))
      expect(MerchantRegistered.safeParse({ ...old, [field]: undefined }).success).toBe(false)
  })

  test('a POS is of one of the five types of the interface', () => {
    expect(posTypes).toEqual(['store', 'webshop', 'mobile', 'vending', 'poster'])
    expect(pos.events.PosRegistered.safeParse({ ...till, type: 'kiosk' }).success).toBe(false)
  })

  test('a user has a secret, a key or both, from its registration on', () => {
    const given = examplesOf(user.decider)
    const about = { merchant: 'sandbox', id: 'pos1', roles: ['user' as const], netmask: null }
    const both = { ...about, secretHash: 'hash', publicKey: 'PEM' }
    const onlyKey = { ...both, secretHash: null }
    const register = (data: typeof both | typeof none) => ({ type: 'Register', data }) as const
    const none = { ...onlyKey, publicKey: null }
    given().when(register(none)).thenRefused('user_has_no_credentials')
    const registered = { type: 'UserRegistered', data: both } as const
    const changed = { type: 'UserChanged', data: onlyKey } as const
    const without = (...fields: ('secretHash' | 'publicKey')[]) => {
      const changes = Object.fromEntries(fields.map((field) => [field, null]))
      return { type: 'Change', changes } as const
    }
    given(registered).when(without('secretHash')).then(changed)
    given(registered, changed).when(without('publicKey')).thenRefused('user_has_no_credentials')
    given(registered)
      .when(without('secretHash', 'publicKey'))
      .thenRefused('user_has_no_credentials')
  })

  test('a user has no other roles than two', () => {
    const { roles } = user.events.UserRegistered.shape
    expect(roles.safeParse(['root']).success).toBe(false)
  })
})

describe('the installation', () => {
  const given = examplesOf(installation)
  const made = (key: string) =>
    ({ type: 'InstallationMade', data: { key, ids: 'clustered' } }) as const
  const make = (key: string) => ({ type: 'MakeInstallation', key }) as const

  test('given nothing, when it is made, then its key stands, and that ids are clustered', () => {
    given().when(make('AA==')).then(made('AA=='))
    expect(given(made('AA==')).state).toMatchObject({ key: 'AA==', ids: 'clustered', vault: null })
    expect(given().state).toMatchObject({
      key: null,
      ids: 'clustered',
      vault: null,
      isProduction: false,
    })
  })

  test('given the installation, when it is made again with another key, then the first key stands', () => {
    given(made('AA==')).when(make('BB==')).thenNothing()
  })

  test('given one whose ids are scattered, when it is made again, then they stay so', () => {
    const first = { type: 'InstallationMade', data: { key: 'AA==', ids: 'scattered' } } as const
    given(first).when(make('BB==')).thenNothing()
    expect(given(first).state).toMatchObject({ key: 'AA==', ids: 'scattered' })
  })

  test('given its vault, when another is chosen, then the first one stands', () => {
    const choose = (vault: string) => ({ type: 'ChooseVault', vault }) as const
    const chosen = { type: 'VaultChosen', data: { vault: 'v1' } } as const
    given(made('AA==')).when(choose('v1')).then(chosen)
    given(made('AA=='), chosen).when(choose('v2')).thenNothing()
    expect(given(made('AA=='), chosen).state).toMatchObject({ key: 'AA==', vault: 'v1' })
  })

  test('given production, when it begins again, then nothing happens', () => {
    const begin = { type: 'BeginProduction' } as const
    const begun = { type: 'ProductionBegun', data: {} } as const
    given(made('AA==')).when(begin).then(begun)
    given(made('AA=='), begun).when(begin).thenNothing()
    expect(given(made('AA==')).state).toMatchObject({ isProduction: false })
    expect(given(made('AA=='), begun).state).toMatchObject({ isProduction: true })
  })
})

describe('two JSON values', () => {
  test.each([
    [1, 1],
    ['a', 'a'],
    [null, null],
    [[], []],
    [{}, {}],
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [0, -0],
  ])('%j and %j are the same', (a, b) => {
    expect(jsonEquals(a, b)).toBe(true)
  })

  test.each([
    [1, 2],
    [1, '1'],
    [null, undefined],
    [null, {}],
    [{}, null],
    [[], {}],
    [{}, []],
    ['', []],
    [1, {}],
    [true, {}],
    ['ab', { 0: 'a', 1: 'b' }],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, {}],
    [{}, { a: 1 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, { b: null }],
    [{ a: null }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [['a'], { 0: 'a' }],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ])('%j and %j differ', (a, b) => {
    expect(jsonEquals(a, b)).toBe(false)
    expect(jsonEquals(b, a)).toBe(false)
  })

  test('are the same exactly when their texts in a fixed order of members are', () => {
    const text = (value: unknown): string =>
      JSON.stringify(value, (_, member: unknown) =>
        member && typeof member === 'object' && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
          : member,
      )
    const value = fc.jsonValue({ maxDepth: 2, depthSize: 'small' })
    fc.assert(fc.property(value, value, (a, b) => jsonEquals(a, b) === (text(a) === text(b))))
    fc.assert(fc.property(value, (a) => jsonEquals(a, JSON.parse(JSON.stringify(a)))))
  })
})
