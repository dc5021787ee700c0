import { profile as profileSchema, type Profile } from '../domain/people/profile.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import { payers } from '../domain/aggregates.ts'
import type { Context } from './handle.ts'
import type { PeopleWork } from './people.ts'

export type Credentials = {
  readonly pinHash: string
  readonly codeSecret: string
  /** SHA-256 of each unused recovery code; absent in old logs. */
  readonly recovery?: readonly string[]
}

/** Undefined if there is no such payer. */
export const findCredentials =
  ({ find, people }: Pick<PeopleWork, 'find' | 'people'>) =>
  async (
    id: string,
  ): Promise<{ readonly credentials: Credentials; readonly sealed: string } | undefined> => {
    const payer = await find(payers, id)
    if (payer.status !== 'present') return undefined
    const { credentials: sealed } = payer
    const text = people.unseal(id, sealed)
    return text === undefined ? undefined : { credentials: JSON.parse(text) as Credentials, sealed }
  }

/** A recovery code without the separators people type. */
export const plainRecoveryCode = (code: string): string =>
  code.toLowerCase().replaceAll(/[^a-z2-7]/g, '')

/** The codes left after a recovery code is used; undefined if it is not among them. */
export const withoutRecoveryCode = (
  credentials: Credentials,
  hash: string,
): Credentials | undefined => {
  const { recovery = [] } = credentials
  const left = recovery.filter((one) => one !== hash)
  return left.length === recovery.length ? undefined : { ...credentials, recovery: left }
}

/** A changed address is no longer verified, unless it was confirmed to change it. */
const withChanges = (known: Profile, changes: Partial<Profile>): Profile => {
  const changed = { ...known, ...changes }
  const isSame = known.isEmailVerified && changed.email === known.email
  const isEmailVerified = changes.isEmailVerified ?? isSame
  return { ...changed, isEmailVerified }
}

const maximumAttempts = 10

export const changeProfile =
  ({ handle, find, people }: PeopleWork) =>
  async (id: string, changes: Partial<Profile>, context: Context): Promise<void> => {
    const change = async (): Promise<void> => {
      const payer = await find(payers, id)
      const text = payer.status === 'present' ? people.unseal(id, payer.profile) : undefined
      if (payer.status !== 'present' || text === undefined) return refuse('payer_is_unknown')
      const { profile: before } = payer
      const known = profileSchema.parse(JSON.parse(text))
      const changed = withChanges(known, changes)
      // Avoids sealing equal data again, which would look like a change.
      const isSame = jsonEquals(known, changed)
      const profile = isSame ? before : people.seal(id, JSON.stringify(changed))
      await handle(payers, id, { type: 'ChangeProfile', before, profile }, context)
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await change()
      } catch (error) {
        // Apply it again on top of a concurrent change.
        const isOutdated = error instanceof Refusal && error.code === 'conflicting_changes'
        if (!isOutdated || attempt === maximumAttempts) throw error
      }
    }
  }
