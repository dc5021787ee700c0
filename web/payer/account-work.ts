import { z } from 'zod'
import type { confirmPayer, changeCredentials } from '../../application/account.ts'
import type { Context } from '../../application/handle.ts'
import type { NumberProofs } from '../../application/number-proofs.ts'
import { plainRecoveryCode } from '../../application/payers.ts'
import type { HashPin } from '../../application/recover.ts'
import type { Profile } from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import { secondsAfter, type Instant } from '../../domain/time.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import type { Texts } from '../ui/texts.ts'
import { sealing, type Sealing } from './sealing.ts'

/** What it takes to make credentials, to change them and to win them back. */
export type CredentialNeeds = Sealing & {
  readonly proofs: NumberProofs
  readonly newCodeSecret: () => string
  readonly codeUri: (secret: string, phone: string) => string
  readonly stepOfCode: (secret: string, code: string) => number | null
  readonly issuer: () => string
}

/** What it takes to make those that a payer has anew. */
export type RenewalNeeds = CredentialNeeds & {
  readonly hashPin: HashPin
  readonly digestOf: (text: string) => string
  readonly newRecoveryCodes: () => readonly string[]
}

export type AccountNeeds = RenewalNeeds & {
  readonly confirmPayer: ReturnType<typeof confirmPayer>
  readonly changeCredentials: ReturnType<typeof changeCredentials>
  readonly proveNumber: (payer: string, phone: string, context: Context) => Promise<void>
  readonly closeAccount: (payer: string, context: Context) => Promise<void>
  readonly signOutEverywhere: (
    payer: string,
    keeping: string | undefined,
    context: Context,
  ) => Promise<void>
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
}

/** Who asks, from which session and device. */
export type Who = {
  readonly payer: string
  readonly session: string
  readonly known?: string | undefined
}

/** Both factors, asked for again; `code` may be a recovery code. */
type Factors = { readonly pin: string; readonly code: string }

const newAuthenticator = z.object({
  purpose: z.literal('authenticator'),
  codeSecret: z.string(),
  until: z.int(),
})
const authenticatorLifetime = 900

/** An authenticator that is not connected yet. */
export const authenticators = (needs: Sealing & Pick<AccountNeeds, 'newCodeSecret'>) => {
  const { seal, read } = sealing(needs, newAuthenticator)
  return {
    make: (at: Instant) => {
      const codeSecret = needs.newCodeSecret()
      const until = secondsAfter(at, authenticatorLifetime)
      return { codeSecret, sealed: seal({ purpose: 'authenticator', codeSecret, until }) }
    },
    read: (sealed: string, at: Instant): string | undefined => read(sealed, at)?.codeSecret,
  }
}

/** Asks for both factors. @throws Refusal sign_in_is_wrong, sign_in_is_locked */
const confirming =
  ({ confirmPayer }: AccountNeeds) =>
  async (who: Who, factors: Factors, call: Call): Promise<Context> => {
    const context = contextOfPayer(call, who.payer)
    await confirmPayer(who.payer, { ...factors, known: who.known }, context)
    return context
  }

const numberWork = (needs: AccountNeeds, confirmed: ReturnType<typeof confirming>) => ({
  /** Sends a code to a new number; answers what comes back with it. @throws Refusal */
  askNumber: (
    { payer }: Who,
    phone: string,
    texts: Texts,
    { at, request, traceparent }: Call,
  ): string =>
    needs.proofs.ask({
      traceparent,
      purpose: 'change',
      phone,
      payer,
      at,
      address: request.remoteAddress ?? '',
      word: async (code) => texts.messageChange({ code, host: new URL(needs.issuer()).host }),
    }),
  /** False for a wrong code of the message. @throws Refusal */
  changeNumber: async (
    who: Who,
    { proof, numberCode }: { readonly proof: string; readonly numberCode: string },
    factors: Factors,
    call: Call,
  ): Promise<boolean> => {
    const proved = await needs.proofs.check(proof, 'change', numberCode, call.at)
    if (proved?.payer !== who.payer) return false
    const context = await confirmed(who, factors, call)
    await needs.proveNumber(who.payer, proved.phone, context)
    await needs.proofs.use(proved)
    return true
  },
})

/** What payers change of their accounts once they have given both factors again. */
export const accountWork = (needs: AccountNeeds) => {
  const { read } = authenticators(needs)

  const confirmed = confirming(needs)

  return {
    /** All other sessions end. @throws Refusal sign_in_is_wrong, sign_in_is_locked */
    changePin: async (who: Who, newPin: string, factors: Factors, call: Call): Promise<void> => {
      const context = await confirmed(who, factors, call)
      const pinHash = await needs.hashPin(newPin, call.request.remoteAddress)
      const { payer, session: keeping } = who
      await needs.changeCredentials(payer, 'pin', { pinHash }, context, { keeping })
    },
    /** False for a wrong code of the new one. All other sessions end. @throws Refusal */
    changeAuthenticator: async (
      who: Who,
      { sealed, newCode }: { readonly sealed: string; readonly newCode: string },
      factors: Factors,
      call: Call,
    ): Promise<boolean> => {
      const codeSecret = read(sealed, call.at)
      const codeStep = codeSecret === undefined ? null : needs.stepOfCode(codeSecret, newCode)
      if (codeSecret === undefined || codeStep === null) return false
      const context = await confirmed(who, factors, call)
      const options = { keeping: who.session, codeStep }
      await needs.changeCredentials(who.payer, 'authenticator', { codeSecret }, context, options)
      return true
    },
    /** The codes of before are void. @throws Refusal */
    newRecoveryCodes: async (
      { payer, ...who }: Who,
      factors: Factors,
      call: Call,
    ): Promise<readonly string[]> => {
      const context = await confirmed({ payer, ...who }, factors, call)
      const codes = needs.newRecoveryCodes()
      const hashes = codes.map((code) => needs.digestOf(plainRecoveryCode(code)))
      await needs.changeCredentials(payer, 'recovery_codes', { recovery: hashes }, context)
      return codes
    },
    ...numberWork(needs, confirmed),
    /** Erases what belongs to the account. @throws Refusal */
    close: async (who: Who, factors: Factors, call: Call): Promise<void> => {
      await needs.closeAccount(who.payer, await confirmed(who, factors, call))
    },
    phoneOf: async (payer: string): Promise<string> =>
      ((await needs.findProfile(payer)) ?? refuse('payer_is_unknown')).phone,
  }
}
