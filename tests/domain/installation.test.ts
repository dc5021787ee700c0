import { describe, expect, test } from 'vitest'
import { installation } from '../../domain/installation.ts'
import { examplesOf } from './given.ts'

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

  test('given it, when it is made again with another key, then the first key stands', () => {
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
