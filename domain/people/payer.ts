import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { jsonEquals } from '../json-equality.ts'
import type { Instant } from '../time.ts'
import { afterFailure, checkLockout, unlocked, type Lockout } from './lockout.ts'

export const pinPattern = /^\d{4,12}$/

/** Encrypted with the payer's key, which is stored outside the log. */
const sealed = z.string()

/** Streams `payer-<id>`. Ids are meaningless, and all data is sealed with the payer's key. */
export const payerEvents = {
  /** `credentials`: slow hash of the PIN and secret of the one-time codes. */
  PayerRegistered: z.object({ profile: sealed, credentials: sealed }),
  PayerProfileChanged: z.object({ profile: sealed }),
  PayerSignInFailed: z.object({ factor: z.enum(['pin', 'code']), lockedUntil: z.int() }),
  /** `session`: SHA-256 of its token. `codeStep`: 30-second step of the one-time code. */
  PayerSignedIn: z.object({
    session: z.string(),
    codeStep: z.int(),
    expiresAt: z.int(),
    /** Name that the device gives itself. */
    device: sealed.optional(),
  }),
  PayerSignedOut: z.object({ session: z.string() }),
  /** The payer's key was destroyed. */
  PayerErased: z.object({}),
} as const

export type PayerEvent = EventsOf<typeof payerEvents>

export type PayerCommand =
  | { readonly type: 'RegisterPayer'; readonly profile: string; readonly credentials: string }
  /** Only key holders can merge sealed data, so the command names the profile it started from. */
  | { readonly type: 'ChangeProfile'; readonly before: string; readonly profile: string }
  | { readonly type: 'CheckPin'; readonly at: Instant; readonly isRight: boolean }
  | {
      readonly type: 'SignIn'
      readonly at: Instant
      /** Null for a wrong code. */
      readonly codeStep: number | null
      /** Whether used codes are refused (RFC 6238, 5.2). */
      readonly codesWorkOnce: boolean
      readonly session: string
      readonly expiresAt: Instant
      /** Sealed. */
      readonly device?: string | undefined
    }
  | { readonly type: 'SignOut'; readonly session: string }
  | { readonly type: 'ErasePayer' }

type PresentPayer = {
  readonly status: 'present'
  readonly profile: string
  readonly credentials: string
  readonly lockout: Lockout
  readonly lastCodeStep: number
}

type Payer = PresentPayer | { readonly status: 'absent' | 'erased' }

const present = (payer: Payer): PresentPayer =>
  payer.status === 'present' ? payer : refuse('payer_is_unknown')

const failed = (
  factor: 'pin' | 'code',
  { lockout }: PresentPayer,
  at: Instant,
): readonly PayerEvent[] => {
  const { lockedUntil } = afterFailure(lockout, at)
  return [{ type: 'PayerSignInFailed', data: { factor, lockedUntil } }]
}

/**
 * Steps of valid codes differ by one at most. A much later last step came from a clock that was
 * ahead.
 */
const isUsedStep = (step: number, last: number): boolean => step <= last && last - step <= 2

/** Identified by phone number, PIN and one-time codes. */
export const payer: Decider<PayerCommand, PayerEvent, Payer> = {
  initial: { status: 'absent' },
  decide(command, payer) {
    switch (command.type) {
      case 'RegisterPayer': {
        const { profile, credentials } = command
        const data = { profile, credentials }
        if (payer.status === 'absent') return [{ type: 'PayerRegistered', data }]
        const known = payer.status === 'present' && {
          profile: payer.profile,
          credentials: payer.credentials,
        }
        return jsonEquals(known, data) ? [] : refuse('payer_exists')
      }
      case 'ChangeProfile': {
        const { profile } = command
        const known = present(payer)
        if (known.profile === profile) return []
        if (known.profile !== command.before) return refuse('conflicting_changes')
        return [{ type: 'PayerProfileChanged', data: { profile } }]
      }
      case 'CheckPin': {
        const known = present(payer)
        checkLockout(known.lockout, command.at)
        return command.isRight ? [] : failed('pin', known, command.at)
      }
      case 'SignIn': {
        const known = present(payer)
        const { at, codeStep, codesWorkOnce, session, expiresAt, device } = command
        checkLockout(known.lockout, at)
        const isUsed =
          codeStep !== null && codesWorkOnce && isUsedStep(codeStep, known.lastCodeStep)
        if (codeStep === null || isUsed) return failed('code', known, at)
        const begun = { session, codeStep, expiresAt }
        const data = device === undefined ? begun : { ...begun, device }
        return [{ type: 'PayerSignedIn', data }]
      }
      case 'SignOut':
        present(payer)
        return [{ type: 'PayerSignedOut', data: { session: command.session } }]
      case 'ErasePayer':
        return payer.status === 'present' ? [{ type: 'PayerErased', data: {} }] : []
    }
  },
  evolve(payer, event) {
    if (event.type === 'PayerRegistered')
      return { status: 'present', ...event.data, lockout: unlocked, lastCodeStep: 0 }
    if (payer.status !== 'present') return payer
    switch (event.type) {
      case 'PayerProfileChanged':
        return { ...payer, profile: event.data.profile }
      case 'PayerSignInFailed': {
        const { failures } = payer.lockout
        const { lockedUntil } = event.data
        return { ...payer, lockout: { failures: failures + 1, lockedUntil } }
      }
      case 'PayerSignedIn':
        return { ...payer, lockout: unlocked, lastCodeStep: event.data.codeStep }
      case 'PayerSignedOut':
        return payer
      case 'PayerErased':
        return { status: 'erased' }
    }
  },
}
