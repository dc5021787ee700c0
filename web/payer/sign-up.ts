import { withoutBlanks } from '../../domain/blanks.ts'
import type { registerPayer } from '../../application/register-payer.ts'
import { z } from 'zod'
import { plainRecoveryCode } from '../../application/payers.ts'
import { phoneDigits } from '../../application/people.ts'
import { isNewPin } from '../../domain/people/payer.ts'
import { plainProfile, profile as profileSchema } from '../../domain/people/profile.ts'
import type { Instant } from '../../domain/time.ts'
import { contextBy, type Call } from '../../http/call.ts'
import { fullName } from './api-fields.ts'
import type { RenewalNeeds } from './account-work.ts'
import type { Throttle } from '../ui/fields.tsx'
import { sealing } from './sealing.ts'
import type { Texts } from '../ui/texts.ts'

export type SignUpNeeds = RenewalNeeds & {
  readonly throttle: Throttle
  readonly hasAccount: (phone: string) => Promise<boolean>
  readonly registerPayer: ReturnType<typeof registerPayer>
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

/** Nothing is stored until the number and the authenticator app are proved. */
const registration = z.object({
  profile: profileSchema,
  pinHash: z.string(),
  codeSecret: z.string(),
  recoveryCodes: z.array(z.string()),
  /** Of the number; null once it is proved. */
  proof: z.string().nullable(),
  /** When the code of the number was asked for. */
  askedAt: z.int(),
  until: z.int(),
})

type Registration = z.output<typeof registration>

export type SealedRegistration = Registration & { readonly sealed: string }

const registrationLifetimeMs = 900_000

export type Typed = { readonly phone: string; readonly name: string; readonly pin: string }

type Finished =
  | { readonly payer: string; readonly recoveryCodes: readonly string[] }
  | { readonly wrong: 'number_code' | 'code' }

/** Sends a code to the number, and the truth about its account. */
const asking =
  ({ proofs, issuer, hasAccount }: SignUpNeeds) =>
  (phone: string, texts: Texts, { at, request, traceparent }: Call): string =>
    proofs.ask({
      traceparent,
      purpose: 'sign_up',
      phone,
      at,
      address: request.remoteAddress ?? '',
      word: async (code) => {
        const { host, origin } = new URL(issuer())
        return (await hasAccount(phone))
          ? texts.messageSignUpTaken({ code, host, address: `${origin}/payer/recovery` })
          : texts.messageSignUp({ code, host })
      },
    })

/** @throws Refusal sign_in_is_locked */
const finishing =
  ({ throttle, stepOfCode, digestOf, registerPayer, proofs }: SignUpNeeds) =>
  async (known: Registration, code: string, call: Call): Promise<Finished> => {
    const { profile, pinHash, codeSecret, recoveryCodes, proof, askedAt } = known
    const { at, request } = call
    throttle.check(request.remoteAddress ?? '', at)
    if (proof !== null) return { wrong: 'number_code' }
    if (stepOfCode(codeSecret, withoutBlanks(code)) === null) {
      throttle.count(request.remoteAddress ?? '', at)
      return { wrong: 'code' }
    }
    const recovery = recoveryCodes.map((one) => digestOf(plainRecoveryCode(one)))
    const credentials = { pinHash, codeSecret, recovery }
    const number = { phone: profile.phone, askedAt }
    const takesOver = !(await proofs.isUsed(number, at))
    const payer = await registerPayer({ profile, credentials, takesOver }, contextBy(call, 'payer'))
    await proofs.use(number)
    return { payer, recoveryCodes }
  }

/**
 * Signing up: details, the code sent to the number, then the code of a new authenticator. Whether
 * the number has an account is told to the number alone.
 */
export const makeSignUp = (needs: SignUpNeeds) => {
  const { throttle, proofs } = needs

  const { seal, read } = sealing(needs, registration)
  const sealed = (known: Registration): SealedRegistration => ({ ...known, sealed: seal(known) })

  const ask = asking(needs)

  return {
    /** Undefined when a field is malformed. @throws Refusal sign_in_is_locked */
    begin: async (
      fields: Typed,
      texts: Texts,
      call: Call,
    ): Promise<SealedRegistration | undefined> => {
      const { at, request } = call
      throttle.check(request.remoteAddress ?? '', at)
      const phone = phoneDigits(fields.phone) ?? ''
      const { data: profile } = profileSchema.safeParse(plainProfile(fields.name, phone))
      const isNamed = fullName.safeParse(fields.name).success
      if (!profile || !isNamed || !isNewPin(fields.pin)) return undefined
      throttle.count(request.remoteAddress ?? '', at)
      const proof = ask(phone, texts, call)
      const pinHash = await needs.hashPin(fields.pin, request.remoteAddress)
      const codeSecret = needs.newCodeSecret()
      const recoveryCodes = [...needs.newRecoveryCodes()]
      const until = at + registrationLifetimeMs
      const rest = { proof, askedAt: at, until }
      return sealed({ profile, pinHash, codeSecret, recoveryCodes, ...rest })
    },
    /** With a new code for the number. @throws Refusal sign_in_is_locked */
    askAgain: (known: Registration, texts: Texts, call: Call): SealedRegistration =>
      sealed({ ...known, proof: ask(known.profile.phone, texts, call), askedAt: call.at }),
    read,
    /** Undefined for a wrong code. @throws Refusal sign_in_is_locked */
    prove: async (
      known: Registration,
      code: string,
      at: Instant,
    ): Promise<SealedRegistration | undefined> => {
      const proved = known.proof === null || (await proofs.check(known.proof, 'sign_up', code, at))
      return proved ? sealed({ ...known, proof: null }) : undefined
    },
    finish: finishing(needs),
  }
}

export type SignUp = ReturnType<typeof makeSignUp>
