import { payers } from '../domain/aggregates.ts'
import { refuse } from '../domain/refusal.ts'
import { secondsAfter, stillLasts, type Instant, type Seconds } from '../domain/time.ts'
import { isKnown } from '../domain/people/payer-state.ts'
import { dryRun } from './find-state.ts'
import type { Context } from './handle.ts'
import { findCredentials, plainRecoveryCode, withoutRecoveryCode } from './payers.ts'
import type { PeopleWork } from './people.ts'

/** Who waits for a slow hash: devices that have signed in to the account before go first. */
export type HashTurn = { readonly address: string | undefined; readonly isKnown: boolean }

export type SignInNeeds = PeopleWork & {
  /** Equally slow without a hash; `claimed` is the phone number. */
  readonly verifyPin: (
    pin: string,
    hash: string | null,
    claimed: string,
    turn: HashTurn,
  ) => Promise<boolean>
  /** The step of a correct code, at most one early or late; null for a wrong one. */
  readonly stepOfCode: (secret: string, code: string) => number | null
  /** SHA-256. */
  readonly digestOf: (text: string) => string
  /** Failures for unknown numbers, answered like those of payers. */
  readonly strangers: {
    /** @throws Refusal sign_in_is_locked */
    check(identifier: string, at: Instant): Promise<void>
    /** Waits until it is stored. @throws Refusal sign_in_is_locked by a concurrent guess */
    fail(identifier: string, at: Instant): Promise<void>
  }
  /** The device's token and its stored digest. */
  readonly newSession: () => { readonly token: string; readonly digest: string }
  readonly codesWorkOnce: boolean
}

type Session = { readonly token: string; readonly expiresAt: Instant }

/** What a device reports about itself. */
type DeviceReport = {
  /** SHA-256 of its cookie. */
  readonly known?: string | undefined
  readonly name?: string | undefined
}

const sessionLifetime: Seconds = 12 * 3600

export const idleLifetime: Seconds = 1800

/** Valid for twelve hours, and for half an hour after the last use. */
export const isLive = (
  { expiresAt, usedAt }: { readonly expiresAt: Instant; readonly usedAt: Instant },
  at: Instant,
): boolean =>
  stillLasts(expiresAt, sessionLifetime, at) &&
  stillLasts(secondsAfter(usedAt, idleLifetime), idleLifetime, at)

/** A one-time code, or a recovery code instead. @throws Refusal payer_is_unknown */
export const readCode = (
  needs: Pick<SignInNeeds, 'find' | 'people' | 'stepOfCode' | 'digestOf'>,
) => {
  const credentialsOf = findCredentials(needs)
  return async (id: string, code: string) => {
    const { credentials, sealed } = (await credentialsOf(id)) ?? refuse('payer_is_unknown')
    const rest = withoutRecoveryCode(credentials, needs.digestOf(plainRecoveryCode(code)))
    const left = rest && needs.people.seal(id, JSON.stringify(rest))
    return {
      codeStep: needs.stepOfCode(credentials.codeSecret, code),
      recovery: left === undefined ? undefined : { before: sealed, credentials: left },
    }
  }
}

const ownContext = (id: string, context: Context): Context => ({
  ...context,
  actor: `payer:${id}`,
})

/** Whether this device has signed in to the account before. */
const isKnownDevice =
  ({ find, people }: SignInNeeds) =>
  async (phone: string, known: string | undefined): Promise<boolean> => {
    await people.caughtUp()
    const id = known === undefined ? undefined : people.findPerson(phone)
    if (id === undefined) return false
    const payer = await find(payers, id)
    return payer.status === 'present' && isKnown(payer, known)
  }

/** Whether it is the account's PIN. @throws Refusal sign_in_is_locked */
export const checkOwnPin = (needs: SignInNeeds) => {
  const { handle, find } = needs
  const credentialsOf = findCredentials(needs)
  return async (id: string, pin: string, known: string | undefined, context: Context) => {
    const { at, address } = context
    const { credentials } = (await credentialsOf(id)) ?? refuse('payer_is_unknown')
    // During a lock not even a correct PIN is checked.
    const command = { type: 'CheckPin', at, isRight: true, known } as const
    const payer = await dryRun(find, payers, id, command)
    const turn = { address, isKnown: payer.status === 'present' && isKnown(payer, known) }
    const isRight = await needs.verifyPin(pin, credentials.pinHash, id, turn)
    await handle(payers, id, { ...command, isRight }, ownContext(id, context))
    return isRight
  }
}

/** First factor; returns the payer. @throws Refusal sign_in_is_wrong, sign_in_is_locked */
const checkPin = (needs: SignInNeeds) => {
  const { people } = needs
  const credentialsOf = findCredentials(needs)
  const pinOf = checkOwnPin(needs)

  return async (phone: string, pin: string, context: Context, known?: string): Promise<string> => {
    const { at } = context
    await people.caughtUp()
    const id = people.findPerson(phone)
    if (id === undefined || (await credentialsOf(id)) === undefined) {
      await needs.strangers.check(phone, at)
      await needs.verifyPin(pin, null, phone, { address: context.address, isKnown: false })
      await needs.strangers.fail(phone, at)
      return refuse('sign_in_is_wrong')
    }
    return (await pinOf(id, pin, known, context)) ? id : refuse('sign_in_is_wrong')
  }
}

/**
 * Second factor; starts a session. @throws Refusal sign_in_is_wrong, sign_in_is_locked,
 * payer_is_unknown
 */
const checkCode = (needs: SignInNeeds) => {
  const { handle, people, codesWorkOnce } = needs
  const read = readCode(needs)

  return async (
    id: string,
    code: string,
    context: Context,
    { name, known }: DeviceReport = {},
  ): Promise<Session> => {
    const { at } = context
    const parsedCode = await read(id, code)
    const { token, digest: session } = needs.newSession()
    const expiresAt = at + sessionLifetime * 1000
    const device = name === undefined ? undefined : people.seal(id, name)
    const { events } = await handle(
      payers,
      id,
      { type: 'SignIn', at, ...parsedCode, codesWorkOnce, session, expiresAt, device, known },
      ownContext(id, context),
    )
    return events.some(({ type }) => type === 'PayerSignedIn')
      ? { token, expiresAt }
      : refuse('sign_in_is_wrong')
  }
}

/** Sign-in with two factors. */
export const signIn = (needs: SignInNeeds) => ({
  isKnownDevice: isKnownDevice(needs),
  checkPin: checkPin(needs),
  checkCode: checkCode(needs),
})

export type SignIn = ReturnType<typeof signIn>
