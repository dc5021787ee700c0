import type { Instant } from '../time.ts'
import { unlocked, type Lockout } from './lockout.ts'
import type { PayerEvent } from './payer-events.ts'

/** A device that has signed in, by the digest of its cookie, with a lockout of its own. */
type KnownDevice = { readonly known: string; readonly lockout: Lockout }

const devicesKept = 20

export type PresentPayer = {
  readonly status: 'present'
  readonly profile: string
  readonly credentials: string
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
