import { jsonEquals } from '../json-equality.ts'
import type { Decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import type { Instant } from '../time.ts'
import { afterFailure, checkLockout } from './lockout.ts'
import type { Attempt, CodeAttempt, CredentialsChange, PayerCommand } from './payer-command.ts'
import type { PayerEvent } from './payer-events.ts'
import { evolvePayer, isKnown, lockoutFor, type Payer, type PresentPayer } from './payer-state.ts'

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
  const data = {
    ...{ session, codeStep, expiresAt },
    ...(device !== undefined && { device }),
    ...(known !== undefined && { known }),
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
    ...{ credentials, what },
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
