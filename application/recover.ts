import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Context } from './handle.ts'
import { changeCredentials } from './account.ts'
import type { Limit, NumberProofs, ProvedNumber } from './number-proofs.ts'
import { findCredentials, plainRecoveryCode, withoutRecoveryCode } from './payers.ts'
import type { SignInNeeds } from './sign-in.ts'

export type HashPin = (pin: string, address: string | undefined) => Promise<string>

type RecoveryNeeds = Pick<
  SignInNeeds,
  'handle' | 'find' | 'people' | 'verifyPin' | 'stepOfCode' | 'digestOf'
> & {
  readonly proofs: NumberProofs
  readonly hashPin: HashPin
  /** Wrong second proofs per account. */
  readonly recoveryTries: Limit
}

/** Two of these are required, including one of the first two. */
export type RecoveryFactors = {
  readonly numberCode: string
  readonly recoveryCode: string
  readonly pin: string
  readonly code: string
}

/** What was proved; everything else is replaced. */
export type Recovered = {
  readonly payer: string
  /** Digest of the proved credentials. */
  readonly before: string
  readonly keepsPin: boolean
  readonly keepsAuthenticator: boolean
  readonly codeStep: number | null
  /** Digest of the recovery code to use up. */
  readonly recoveryHash: string | null
  /** The number whose code is used up. */
  readonly number: ProvedNumber | null
}

/**
 * Account recovery. Strangers cannot lock an account: without a message code or a recovery code,
 * nothing else is checked.
 */
const proveRecovery = (needs: RecoveryNeeds) => {
  const { proofs, people, digestOf, recoveryTries } = needs
  const credentialsOf = findCredentials(needs)

  return async (
    proof: string,
    factors: RecoveryFactors,
    { at, address }: { readonly at: Instant; readonly address: string | undefined },
  ): Promise<Recovered | undefined> => {
    await people.caughtUp()
    const phone = proofs.phoneOf(proof, 'recovery', at)
    const payer = phone === undefined ? undefined : people.findPerson(phone)
    const found = payer === undefined ? undefined : await credentialsOf(payer)
    const number =
      factors.numberCode === ''
        ? undefined
        : await proofs.check(proof, 'recovery', factors.numberCode, at)
    const hasNumber = number !== undefined
    if (payer === undefined || !found) return undefined
    const { credentials, sealed } = found
    const hash = digestOf(plainRecoveryCode(factors.recoveryCode))
    const hasRecovery =
      factors.recoveryCode !== '' && withoutRecoveryCode(credentials, hash) !== undefined
    if (!hasNumber && !hasRecovery) return undefined
    recoveryTries.check(payer, at)
    const turn = { address, isKnown: false }
    const keepsPin =
      factors.pin !== '' && (await needs.verifyPin(factors.pin, credentials.pinHash, payer, turn))
    // Concurrent guesses may have used up the attempts.
    recoveryTries.check(payer, at)
    const step = factors.code === '' ? null : needs.stepOfCode(credentials.codeSecret, factors.code)
    const keepsAuthenticator = step !== null
    const proved = [hasNumber, hasRecovery, keepsPin, keepsAuthenticator].filter(Boolean).length
    if (proved < 2) {
      recoveryTries.count(payer, at)
      return undefined
    }
    const recoveryHash = hasRecovery ? hash : null
    const before = digestOf(sealed)
    const kept = { keepsPin, keepsAuthenticator, codeStep: step }
    return { payer, before, ...kept, recoveryHash, number: number ?? null }
  }
}

/** Null keeps the current value. */
type Renewed = {
  readonly pin: string | null
  readonly codeSecret: string | null
  readonly known?: string | undefined
}

/** @throws Refusal conflicting_changes if it was already done */
const renewCredentials = (needs: RecoveryNeeds) => {
  const credentialsOf = findCredentials(needs)
  const change = changeCredentials(needs)
  return async (
    { payer, before, recoveryHash, codeStep, number }: Recovered,
    { pin, codeSecret, known }: Renewed,
    context: Context,
  ): Promise<void> => {
    const { credentials, sealed } = (await credentialsOf(payer)) ?? refuse('payer_is_unknown')
    if (needs.digestOf(sealed) !== before) return refuse('conflicting_changes')
    const pinHash = pin === null ? credentials.pinHash : await needs.hashPin(pin, context.address)
    const rest = (recoveryHash && withoutRecoveryCode(credentials, recoveryHash)) || credentials
    const changes = { ...rest, pinHash, ...(codeSecret !== null && { codeSecret }) }
    const options = { known, ...(codeStep !== null && { codeStep }) }
    await change(payer, 'recovery', changes, context, options)
    if (number) await needs.proofs.use(number)
  }
}

export const recovery = (needs: RecoveryNeeds) => ({
  prove: proveRecovery(needs),
  renew: renewCredentials(needs),
})

export type Recovery = ReturnType<typeof recovery>
