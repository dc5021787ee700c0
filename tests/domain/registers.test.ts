import { describe, expect, test } from 'vitest'
import { integrator, signingKey, shortlink } from '../../domain/merchant/registers.ts'
import { merchant } from '../../domain/merchant/merchant.ts'
import { pos, posTypes } from '../../domain/merchant/pos.ts'
import { user } from '../../domain/merchant/user.ts'
import { application } from '../../domain/people/application.ts'
import { examplesOf } from './given.ts'
import { till, located } from './tills.ts'

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
