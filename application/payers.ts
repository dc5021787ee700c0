import { profile as profileSchema, type Profile } from '../domain/people/profile.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import { jsonEquals } from '../domain/json-equality.ts'
import { stillLasts, type Instant, type Seconds } from '../domain/time.ts'
import { payers } from '../domain/aggregates.ts'
import { dryRun } from './find-rechecked.ts'
import type { Context, Handle } from './handle.ts'
import type { Find } from './find-state.ts'
import type { People } from './people.ts'

export type Credentials = { readonly pinHash: string; readonly codeSecret: string }

type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly people: People
}

/** An erased payer returns as somebody new. */
export const registerPayer =
  ({ handle, find, people }: Needs) =>
  async (
    profile: Profile,
    credentials: Credentials,
    context: Context,
    wantedId?: string,
  ): Promise<string> => {
    const id = await people.personFor(profile.phone, wantedId)
    // Salts and code secrets are random, so a second registration never has equal credentials.
    if ((await find(payers, id)).status !== 'absent') return refuse('payer_exists')
    await handle(
      payers,
      id,
      {
        type: 'RegisterPayer',
        profile: people.seal(id, JSON.stringify(profile)),
        credentials: people.seal(id, JSON.stringify(credentials)),
      },
      context,
    )
    return id
  }

type ErasureNeeds = Needs & {
  readonly withdrawAll: (payer: string, context: Context) => Promise<void>
}

/**
 * Destroys a person's key, payer or not, so that the log tells nothing about them. No event
 * changes, so totals and proofs stay.
 */
export const erasePerson =
  ({ handle, find, people, withdrawAll }: ErasureNeeds) =>
  async (identifier: string, context: Context): Promise<string> => {
    const id = people.findPerson(identifier) ?? refuse('payer_is_unknown')
    if ((await find(payers, id)).status === 'present') {
      await withdrawAll(id, context)
      await handle(payers, id, { type: 'ErasePayer' }, context)
    }
    people.shred(id)
    return id
  }

type SignInNeeds = Needs & {
  /** Equally slow without a hash; `claimed` is the phone number. */
  readonly verifyPin: (pin: string, hash: string | null, claimed: string) => Promise<boolean>
  /** Step of a right code, at most one early or late; null for a wrong one. */
  readonly stepOfCode: (secret: string, code: string) => number | null
  /** Failures for unknown numbers, answered like those of payers. */
  readonly strangers: {
    /** @throws Refusal sign_in_is_locked */
    check(identifier: string, at: Instant): void
    fail(identifier: string, at: Instant): void
  }
  /** The device's token and its stored digest. */
  readonly newSession: () => { readonly token: string; readonly digest: string }
  readonly codesWorkOnce: boolean
}

type Session = { readonly token: string; readonly expiresAt: Instant }

const sessionLifetime: Seconds = 12 * 3600

export const isLive = ({ expiresAt }: Pick<Session, 'expiresAt'>, at: Instant): boolean =>
  stillLasts(expiresAt, sessionLifetime, at)

/** Undefined if there is no such payer. */
export const findCredentials =
  ({ find, people }: Pick<Needs, 'find' | 'people'>) =>
  async (id: string): Promise<Credentials | undefined> => {
    const payer = await find(payers, id)
    const text = payer.status === 'present' ? people.unseal(id, payer.credentials) : undefined
    return text === undefined ? undefined : (JSON.parse(text) as Credentials)
  }

/** Sign-in with two factors. */
export const signIn = (needs: SignInNeeds) => {
  const { handle, find, people } = needs
  const credentialsOf = findCredentials(needs)

  /** First factor; returns the payer. @throws Refusal sign_in_is_wrong, sign_in_is_locked */
  const checkPin = async (phone: string, pin: string, context: Context): Promise<string> => {
    const { at } = context
    const id = people.findPerson(phone)
    const credentials = id === undefined ? undefined : await credentialsOf(id)
    if (id === undefined || credentials === undefined) {
      needs.strangers.check(phone, at)
      await needs.verifyPin(pin, null, phone)
      // Concurrent guesses may have locked the number.
      needs.strangers.check(phone, at)
      needs.strangers.fail(phone, at)
      return refuse('sign_in_is_wrong')
    }
    const own = { ...context, actor: `payer:${id}` }
    // During a lock even a right PIN is not checked.
    await dryRun(find, payers, id, { type: 'CheckPin', at, isRight: true })
    const isRight = await needs.verifyPin(pin, credentials.pinHash, phone)
    await handle(payers, id, { type: 'CheckPin', at, isRight }, own)
    return isRight ? id : refuse('sign_in_is_wrong')
  }

  /**
   * Second factor; starts a session. @throws Refusal sign_in_is_wrong, sign_in_is_locked,
   * payer_is_unknown
   */
  const checkCode = async (
    id: string,
    code: string,
    context: Context,
    deviceName?: string,
  ): Promise<Session> => {
    const { at } = context
    const credentials = (await credentialsOf(id)) ?? refuse('payer_is_unknown')
    const codeStep = needs.stepOfCode(credentials.codeSecret, code)
    const { token, digest: session } = needs.newSession()
    const expiresAt = at + sessionLifetime * 1000
    const { codesWorkOnce } = needs
    const device = deviceName === undefined ? undefined : people.seal(id, deviceName)
    const { events } = await handle(
      payers,
      id,
      { type: 'SignIn', at, codeStep, codesWorkOnce, session, expiresAt, device },
      { ...context, actor: `payer:${id}` },
    )
    return events.some(({ type }) => type === 'PayerSignedIn')
      ? { token, expiresAt }
      : refuse('sign_in_is_wrong')
  }

  return { checkPin, checkCode }
}

export type SignIn = ReturnType<typeof signIn>

/** A changed address is no longer verified. */
const withChanges = (known: Profile, changes: Partial<Profile>): Profile => {
  const changed = { ...known, ...changes }
  const isEmailVerified = known.isEmailVerified && changed.email === known.email
  return { ...changed, isEmailVerified }
}

const maximumAttempts = 10

export const changeProfile =
  ({ handle, find, people }: Needs) =>
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
