import { z } from 'zod'
import type { Recovered, Recovery, RecoveryGiven } from '../../application/recover.ts'
import { secondsAfter } from '../../domain/time.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import type { CredentialNeeds } from './account-work.ts'
import { sealing } from './sealing.ts'
import type { Texts } from '../ui/texts.ts'

export type RecoveryWorkNeeds = CredentialNeeds & {
  readonly recovery: Recovery
  readonly hasAccount: (phone: string) => Promise<boolean>
}

const recovered = z.object({
  purpose: z.literal('recovered'),
  payer: z.string(),
  before: z.string(),
  keepsPin: z.boolean(),
  keepsAuthenticator: z.boolean(),
  codeStep: z.int().nullable(),
  recoveryHash: z.string().nullable(),
  number: z.object({ phone: z.string(), askedAt: z.int() }).nullable(),
  /** Of the new authenticator, if one is needed. */
  codeSecret: z.string(),
  until: z.int(),
})
export type RecoveredAccount = Recovered & { readonly codeSecret: string }
const recoveredLifetime = 900

type Renewal = {
  readonly newPin: string
  readonly newCode: string
  readonly known?: string | undefined
}

/** The way back into an account: proofs first, then what replaces the rest. */
export const recoveryWork = (needs: RecoveryWorkNeeds) => {
  const { proofs, recovery } = needs
  const { seal, read } = sealing(needs, recovered)
  return {
    /** Sends a code; the answer is the same for every number. @throws Refusal */
    ask: (phone: string, texts: Texts, { at, request }: Call): string =>
      proofs.ask({
        ...{ purpose: 'recovery', phone, at, address: request.remoteAddress ?? '' },
        isOptional: true,
        word: async (code) => {
          const { host } = new URL(needs.issuer())
          return (await needs.hasAccount(phone))
            ? texts.messageRecovery({ code, host })
            : texts.messageNoAccount({ host })
        },
      }),
    /** Undefined when it is not enough. @throws Refusal sign_in_is_locked */
    prove: async (
      proof: string,
      given: RecoveryGiven,
      { at, request: { remoteAddress: address } }: Call,
    ): Promise<(RecoveredAccount & { readonly sealed: string }) | undefined> => {
      const proved = await recovery.prove(proof, given, { at, address })
      if (!proved) return undefined
      const account = { ...proved, codeSecret: needs.newCodeSecret() }
      const until = secondsAfter(at, recoveredLifetime)
      return { ...account, sealed: seal({ purpose: 'recovered', ...account, until }) }
    },
    read,
    /** False for a wrong code of the new authenticator. All sessions end. @throws Refusal */
    renew: async (
      account: RecoveredAccount,
      { newPin, newCode, known }: Renewal,
      call: Call,
    ): Promise<boolean> => {
      const { keepsPin, keepsAuthenticator, codeSecret, payer } = account
      if (!keepsAuthenticator && needs.stepOfCode(codeSecret, newCode) === null) return false
      const renewed = {
        pin: keepsPin ? null : newPin,
        codeSecret: keepsAuthenticator ? null : codeSecret,
        known,
      }
      await recovery.renew(account, renewed, contextOfPayer(call, payer))
      return true
    },
  }
}
