import { type Instant, instant } from '../time.ts'
import { unlocked, type Lockout } from './lockout.ts'
import { z } from 'zod'
import type { EventsOf } from '../decider.ts'
import { preferences, type Preferences } from './preferences.ts'

/** Encrypted with the payer's key, which is stored outside the log. */
export const sealed = z.string()

/** SHA-256 of the cookie of a device that has signed in. */
export const knownDevice = z.string()

/** Streams `payer-<id>`. Ids are meaningless, and all data is sealed with the payer's key. */
export const payerEvents = {
  /**
   * `credentials`: slow hash of the PIN, secret of the one-time codes, hashes of recovery codes.
   */
  PayerRegistered: z.object({ profile: sealed, credentials: sealed }),
  PayerProfileChanged: z.object({ profile: sealed }),
  /** What is absent stays as it was. */
  PayerPreferencesChanged: preferences,
  /**
   * The account has another number. `absorbed`: the person that merchants named by that number,
   * erased together with this payer.
   */
  PayerNumberProved: z.object({ profile: sealed, absorbed: z.string().optional() }),
  /** Somebody else has since proved the number. */
  PayerNumberLost: z.object({}),
  /** `known`: the failure counts for this device only. */
  PayerSignInFailed: z.object({
    factor: z.enum(['pin', 'code']),
    lockedUntil: instant,
    known: knownDevice.optional(),
  }),
  /** `session`: SHA-256 of its token. `codeStep`: 30-second step of the one-time code. */
  PayerSignedIn: z.object({
    session: z.string(),
    codeStep: z.int(),
    expiresAt: instant,
    /** Name that the device reports. */
    device: sealed.optional(),
    known: knownDevice.optional(),
    /** The payer wants to be told, and the device is new. */
    notify: z.literal(true).optional(),
  }),
  /** At most once every few minutes, so that idle sessions can end. */
  PayerSessionUsed: z.object({ session: z.string() }),
  PayerSignedOut: z.object({ session: z.string() }),
  /** A one-time code was required again and given, for a payment or a change. */
  PayerCodeConfirmed: z.object({ codeStep: z.int() }),
  PayerCredentialsChanged: z.object({
    credentials: sealed,
    what: z.enum(['pin', 'authenticator', 'recovery_codes', 'recovery_code_used', 'recovery']),
    codeStep: z.int().optional(),
    known: knownDevice.optional(),
  }),
  /** The payer's key is destroyed. */
  PayerErased: z.object({}),
} as const

export type PayerEvent = EventsOf<typeof payerEvents>

/** A device that has signed in, by the digest of its cookie, with a lockout of its own. */
type KnownDevice = { readonly known: string; readonly lockout: Lockout }

const devicesKept = 20

export type PresentPayer = {
  readonly status: 'present'
  readonly profile: string
  readonly credentials: string
  readonly preferences?: Preferences
  /** When notices were chosen last: what happened before is no news. */
  readonly choseNoticesAt?: Instant
  /** Whether requests to its phone number reach it. */
  readonly hasNumber: boolean
  /** Persons named by phone numbers that now belong to this payer. */
  readonly absorbed: readonly string[]
  /** Shared by all devices that have never signed in. */
  readonly lockout: Lockout
  /** Newest last. */
  readonly devices: readonly KnownDevice[]
  readonly lastCodeStep: number
  /** When the number, the PIN or the authenticator was last replaced. */
  readonly factorsChangedAt?: Instant
  readonly sessions: readonly { readonly session: string; readonly expiresAt: Instant }[]
}

export type Payer = PresentPayer | { readonly status: 'absent' | 'erased' }

export const isKnown = ({ devices }: PresentPayer, known: string | undefined): boolean =>
  devices.some((device) => device.known === known)

/** A known device has a lockout of its own, so that strangers cannot lock it out. */
export const lockoutFor = (payer: PresentPayer, known: string | undefined): Lockout =>
  payer.devices.find((device) => device.known === known)?.lockout ?? payer.lockout

const withDevice = (payer: PresentPayer, known: string, lockout: Lockout): PresentPayer => {
  const others = payer.devices.filter((device) => device.known !== known)
  return { ...payer, devices: [...others, { known, lockout }].slice(-devicesKept) }
}

const withLockout = (
  payer: PresentPayer,
  known: string | undefined,
  lockout: Lockout,
): PresentPayer =>
  known !== undefined && isKnown(payer, known)
    ? withDevice(payer, known, lockout)
    : { ...payer, lockout }

type SignedIn = Extract<PayerEvent, { type: 'PayerSignedIn' }>['data']

const signedIn = (payer: PresentPayer, event: SignedIn, at: Instant): PresentPayer => {
  const { session, expiresAt, codeStep, known } = event
  const live = payer.sessions.filter((one) => one.expiresAt > at && one.session !== session)
  const sessions = [...live, { session, expiresAt }]
  const free = withLockout({ ...payer, lastCodeStep: codeStep, sessions }, known, unlocked)
  return known === undefined ? free : withDevice(free, known, unlocked)
}

type Changed = Extract<PayerEvent, { type: 'PayerCredentialsChanged' }>['data']

/** Recovery codes change no factor until the account is recovered with them. */
export const isOfFactors = (what: Changed['what']): boolean =>
  what !== 'recovery_codes' && what !== 'recovery_code_used'

const changed = (payer: PresentPayer, event: Changed, at: Instant): PresentPayer => {
  const { credentials, what, codeStep = payer.lastCodeStep, known } = event
  const since = isOfFactors(what) ? { factorsChangedAt: at } : {}
  const next = { ...payer, credentials, lastCodeStep: codeStep, ...since }
  if (what !== 'recovery') return next
  const free = { ...next, lockout: unlocked }
  return known === undefined ? free : withDevice(free, known, unlocked)
}

export const evolvePayer = (payer: Payer, event: PayerEvent, at: Instant): Payer => {
  if (event.type === 'PayerRegistered') {
    const nothingYet = { absorbed: [], devices: [], sessions: [], lastCodeStep: 0 }
    const free = { hasNumber: true, lockout: unlocked }
    return { status: 'present', ...event.data, ...free, ...nothingYet }
  }
  if (payer.status !== 'present') return payer
  switch (event.type) {
    case 'PayerProfileChanged':
      return { ...payer, profile: event.data.profile }
    case 'PayerPreferencesChanged': {
      const preferences = { ...payer.preferences, ...event.data }
      return { ...payer, preferences, ...(event.data.notices && { choseNoticesAt: at }) }
    }
    case 'PayerNumberProved': {
      const { profile, absorbed } = event.data
      const all = absorbed === undefined ? payer.absorbed : [...payer.absorbed, absorbed]
      return { ...payer, profile, hasNumber: true, absorbed: all, factorsChangedAt: at }
    }
    case 'PayerNumberLost':
      return { ...payer, hasNumber: false }
    case 'PayerSignInFailed': {
      const { lockedUntil, known } = event.data
      const { failures } = lockoutFor(payer, known)
      return withLockout(payer, known, { failures: failures + 1, lockedUntil })
    }
    case 'PayerSignedIn':
      return signedIn(payer, event.data, at)
    case 'PayerSessionUsed':
      return payer
    case 'PayerSignedOut': {
      const { session } = event.data
      return { ...payer, sessions: payer.sessions.filter((one) => one.session !== session) }
    }
    case 'PayerCodeConfirmed':
      return { ...payer, lastCodeStep: event.data.codeStep }
    case 'PayerCredentialsChanged':
      return changed(payer, event.data, at)
    case 'PayerErased':
      return { status: 'erased' }
  }
}
