import { jsonEquals } from '../json-equality.ts'
import type { Decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import type { Instant } from '../time.ts'
import { wayOf, type Preferences } from './preferences.ts'
import { afterFailure, checkLockout } from './lockout.ts'
import {
  type PayerEvent,
  evolvePayer,
  isKnown,
  lockoutFor,
  type Payer,
  type PresentPayer,
} from './payer-state.ts'

export const pinPattern = /^\d{4,12}$/

/** One repeated digit, or a sequence such as 1234, 7890 or 4321. */
export const isEasyPin = (pin: string): boolean => {
  const steps = new Set<number>()
  for (let at = 1; at < pin.length; at += 1)
    steps.add((Number(pin[at]) - Number(pin[at - 1]) + 10) % 10)
  const [step] = steps
  return steps.size === 1 && (step === 0 || step === 1 || step === 9)
}

/** Whether a payer may choose it; existing PINs stay valid. */
export const isNewPin = (pin: string): boolean => pinPattern.test(pin) && !isEasyPin(pin)

export type Attempt = {
  readonly at: Instant
  /** SHA-256 of the device's cookie. */
  readonly known?: string | undefined
}

export type CodeAttempt = Attempt & {
  /** Null for a wrong code. */
  readonly codeStep: number | null
  /** Whether used codes are refused (RFC 6238, 5.2). */
  readonly codesWorkOnce: boolean
}

/** Only key holders can merge sealed data, so a command includes the value it started from. */
export type CredentialsChange = { readonly before: string; readonly credentials: string }

export type PayerCommand =
  | { readonly type: 'RegisterPayer'; readonly profile: string; readonly credentials: string }
  | { readonly type: 'ChangeProfile'; readonly before: string; readonly profile: string }
  | {
      readonly type: 'ProveNumber'
      readonly before: string
      readonly profile: string
      readonly absorbed?: string | undefined
    }
  | { readonly type: 'ChangePreferences'; readonly preferences: Preferences }
  | { readonly type: 'LoseNumber' }
  | (Attempt & { readonly type: 'CheckPin'; readonly isRight: boolean })
  | (CodeAttempt & {
      readonly type: 'SignIn'
      /** The recovery code used instead of a one-time code. */
      readonly recovery?: CredentialsChange | undefined
      readonly session: string
      readonly expiresAt: Instant
      /** Sealed. */
      readonly device?: string | undefined
    })
  | (CodeAttempt & {
      readonly type: 'ConfirmCode'
      readonly recovery?: CredentialsChange | undefined
    })
  | (CredentialsChange & {
      readonly type: 'ChangeCredentials'
      readonly at: Instant
      readonly what: 'pin' | 'authenticator' | 'recovery_codes' | 'recovery'
      readonly codeStep?: number | undefined
      readonly known?: string | undefined
      /** The session that remains; all others end. */
      readonly keeping?: string | undefined
    })
  | { readonly type: 'UseSession'; readonly session: string }
  | { readonly type: 'SignOut'; readonly session: string }
  | {
      readonly type: 'SignOutEverywhere'
      readonly at: Instant
      readonly keeping?: string | undefined
    }
  | { readonly type: 'ErasePayer' }

const present = (payer: Payer): PresentPayer =>
  payer.status === 'present' ? payer : refuse('payer_is_unknown')

const failed = (
  factor: 'pin' | 'code',
  payer: PresentPayer,
  { at, known }: Attempt,
): readonly PayerEvent[] => {
  const { lockedUntil } = afterFailure(lockoutFor(payer, known), at)
  const data = { factor, lockedUntil }
  const own = isKnown(payer, known) && known !== undefined ? { ...data, known } : data
  return [{ type: 'PayerSignInFailed', data: own }]
}

/**
 * Steps of valid codes differ by at most one. A much later last step came from a clock that was
 * ahead.
 */
const isUsedStep = (step: number, last: number): boolean => step <= last && last - step <= 2

/** The step of a correct code; undefined for a wrong or used one. */
const stepOf = (
  { codeStep, codesWorkOnce }: CodeAttempt,
  { lastCodeStep }: PresentPayer,
): number | undefined =>
  codeStep === null || (codesWorkOnce && isUsedStep(codeStep, lastCodeStep)) ? undefined : codeStep

const afterRecoveryCode = (
  { before, credentials }: CredentialsChange,
  payer: PresentPayer,
): PayerEvent => {
  if (payer.credentials !== before) return refuse('conflicting_changes')
  return { type: 'PayerCredentialsChanged', data: { credentials, what: 'recovery_code_used' } }
}

const endedSessions = (
  { sessions }: PresentPayer,
  at: Instant,
  keeping: string | undefined,
): PayerEvent[] =>
  sessions
    .filter(({ session, expiresAt }) => session !== keeping && at < expiresAt)
    .map(({ session }) => ({ type: 'PayerSignedOut', data: { session } }))

type Of<Type extends PayerCommand['type']> = Extract<PayerCommand, { readonly type: Type }>

const decideSignIn = (command: Of<'SignIn'>, payer: PresentPayer): readonly PayerEvent[] => {
  const { session, expiresAt, device, known, recovery } = command
  checkLockout(lockoutFor(payer, known), command.at)
  const codeStep = recovery ? payer.lastCodeStep : stepOf(command, payer)
  if (codeStep === undefined) return failed('code', payer, command)
  const isNews = !isKnown(payer, known) && wayOf(payer.preferences, 'sign_in', false) !== 'none'
  const data = {
    session,
    codeStep,
    expiresAt,
    ...(device !== undefined && { device }),
    ...(known !== undefined && { known }),
    ...(isNews && { notify: true as const }),
  }
  const begun: PayerEvent = { type: 'PayerSignedIn', data }
  return recovery ? [afterRecoveryCode(recovery, payer), begun] : [begun]
}

const decideConfirmation = (
  command: Of<'ConfirmCode'>,
  payer: PresentPayer,
): readonly PayerEvent[] => {
  checkLockout(lockoutFor(payer, command.known), command.at)
  if (command.recovery) return [afterRecoveryCode(command.recovery, payer)]
  const codeStep = stepOf(command, payer)
  if (codeStep === undefined) return failed('code', payer, command)
  return [{ type: 'PayerCodeConfirmed', data: { codeStep } }]
}

const decideCredentials = (
  command: Of<'ChangeCredentials'>,
  payer: PresentPayer,
): readonly PayerEvent[] => {
  const { at, before, credentials, what, codeStep, known, keeping } = command
  if (payer.credentials === credentials) return []
  if (payer.credentials !== before) return refuse('conflicting_changes')
  const data = {
    credentials,
    what,
    ...(codeStep !== undefined && { codeStep }),
    ...(known !== undefined && { known }),
  }
  const changed: PayerEvent = { type: 'PayerCredentialsChanged', data }
  // New recovery codes do not affect open sessions, so these stay.
  if (what === 'recovery_codes') return [changed]
  return [changed, ...endedSessions(payer, at, keeping)]
}

const decideProfile = (
  command: Of<'ChangeProfile' | 'ProveNumber'>,
  payer: PresentPayer,
): readonly PayerEvent[] => {
  const { profile } = command
  const isSame = payer.profile === profile && (command.type === 'ChangeProfile' || payer.hasNumber)
  if (isSame) return []
  if (payer.profile !== command.before) return refuse('conflicting_changes')
  if (command.type === 'ChangeProfile') return [{ type: 'PayerProfileChanged', data: { profile } }]
  const { absorbed } = command
  const data = absorbed === undefined ? { profile } : { profile, absorbed }
  return [{ type: 'PayerNumberProved', data }]
}

const decideRegistration = (
  { profile, credentials }: Of<'RegisterPayer'>,
  payer: Payer,
): readonly PayerEvent[] => {
  const data = { profile, credentials }
  if (payer.status === 'absent') return [{ type: 'PayerRegistered', data }]
  const known = payer.status === 'present' && {
    profile: payer.profile,
    credentials: payer.credentials,
  }
  return jsonEquals(known, data) ? [] : refuse('payer_exists')
}

/** Identified by phone number, PIN and one-time codes. */
export const payer: Decider<PayerCommand, PayerEvent, Payer> = {
  initial: { status: 'absent' },
  decide(command, payer) {
    switch (command.type) {
      case 'RegisterPayer':
        return decideRegistration(command, payer)
      case 'ChangeProfile':
      case 'ProveNumber':
        return decideProfile(command, present(payer))
      case 'ChangePreferences': {
        const { preferences: before = {} } = present(payer)
        const data = command.preferences
        return jsonEquals(before, { ...before, ...data })
          ? []
          : [{ type: 'PayerPreferencesChanged', data }]
      }
      case 'LoseNumber':
        return present(payer).hasNumber ? [{ type: 'PayerNumberLost', data: {} }] : []
      case 'CheckPin': {
        const known = present(payer)
        checkLockout(lockoutFor(known, command.known), command.at)
        return command.isRight ? [] : failed('pin', known, command)
      }
      case 'SignIn':
        return decideSignIn(command, present(payer))
      case 'ConfirmCode':
        return decideConfirmation(command, present(payer))
      case 'ChangeCredentials':
        return decideCredentials(command, present(payer))
      case 'UseSession':
        present(payer)
        return [{ type: 'PayerSessionUsed', data: { session: command.session } }]
      case 'SignOut':
        present(payer)
        return [{ type: 'PayerSignedOut', data: { session: command.session } }]
      case 'SignOutEverywhere':
        return endedSessions(present(payer), command.at, command.keeping)
      case 'ErasePayer':
        return payer.status === 'present' ? [{ type: 'PayerErased', data: {} }] : []
    }
  },
  evolve: (payer, event, { at }) => evolvePayer(payer, event, at),
}
