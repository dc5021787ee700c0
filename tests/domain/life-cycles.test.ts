import { describe, expect, test } from 'vitest'
import { integrator } from '../../domain/merchant/registers.ts'
import { user, type UserData } from '../../domain/merchant/user.ts'
import { examplesOf } from './given.ts'

const acme = { id: 'acme', name: 'Acme', publicKey: 'a key', merchants: ['cafe'] }

const registered = { type: 'IntegratorRegistered', data: acme } as const

const disabled = { type: 'IntegratorDisabled', data: {} } as const

const enabled = { type: 'IntegratorEnabled', data: {} } as const

const removed = { type: 'IntegratorRemoved', data: {} } as const

describe('an entry that can be disabled', () => {
  const given = examplesOf(integrator.decider)

  test('given it, when it is disabled, then it is, once; and enabled again', () => {
    given(registered).when({ type: 'Disable' }).then(disabled)
    given(registered, disabled).when({ type: 'Disable' }).thenNothing()
    given(registered, disabled).when({ type: 'Enable' }).then(enabled)
    given(registered, disabled, enabled).when({ type: 'Enable' }).thenNothing()
    given(registered).when({ type: 'Enable' }).thenNothing()
    expect(given(registered, disabled).state).toMatchObject({ data: acme, isDisabled: true })
    const again = { ...given(registered).state, switched: 2 }
    expect(given(registered, disabled, enabled).state).toEqual(again)
  })

  test('given it is disabled, when it is changed, then it stays disabled', () => {
    const data = { ...acme, name: 'Acme Tills' }
    const changed = { type: 'IntegratorChanged', data } as const
    given(registered, disabled)
      .when({ type: 'Change', changes: { name: data.name } })
      .then(changed)
    expect(given(registered, disabled, changed).state).toMatchObject({ data, isDisabled: true })
  })

  test('given it is removed, when it is registered again, then it is enabled', () => {
    given(registered, disabled, removed)
      .when({ type: 'Disable' })
      .thenRefused('resource_is_unknown')
    expect(given(registered, disabled, removed, registered).state).toEqual(given(registered).state)
  })
})

const chief: UserData = {
  ...{ merchant: 'cafe', id: 'chief', roles: ['superuser'], netmask: null },
  ...{ secretHash: 'a hash', publicKey: 'a key' },
}

const chiefIs = { type: 'UserRegistered', data: chief } as const

const plain: UserData = { ...chief, roles: ['user'] }

const helper = { type: 'UserRegistered', data: plain } as const

describe('the last user that manages users', () => {
  const given = examplesOf(user.decider)
  const last = { othersManage: false }
  const refused = 'last_superuser_is_needed'
  const demotion = { type: 'Change', changes: { roles: ['user'] } } as const
  const lossOfKey = { type: 'Change', changes: { publicKey: null } } as const

  test('given no other, when it is removed, demoted or loses its key, then it is refused', () => {
    given(chiefIs)
      .when({ type: 'Remove', ...last })
      .thenRefused(refused)
    given(chiefIs)
      .when({ ...demotion, ...last })
      .thenRefused(refused)
    given(chiefIs)
      .when({ ...lossOfKey, ...last })
      .thenRefused(refused)
    const rotation = { type: 'Change', changes: { publicKey: 'another' } } as const
    given(chiefIs)
      .when({ ...rotation, ...last })
      .then({ type: 'UserChanged', data: { ...chief, publicKey: 'another' } })
  })

  test('given another, or the operator, when it is removed, then it is', () => {
    const gone = { type: 'UserRemoved', data: {} } as const
    given(chiefIs).when({ type: 'Remove', othersManage: true }).then(gone)
    given(chiefIs).when({ type: 'Remove' }).then(gone)
    given(helper)
      .when({ type: 'Remove', ...last })
      .then(gone)
  })
})
