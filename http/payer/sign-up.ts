import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import type { Credentials } from '../../application/payers.ts'
import { phoneDigits } from '../../application/people.ts'
import { pinPattern } from '../../domain/people/payer.ts'
import {
  plainProfile,
  profile as profileSchema,
  type Profile,
} from '../../domain/people/profile.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Throttle } from './fields.ts'
import type { Call } from '../call.ts'

export type SignUpNeeds = {
  readonly throttle: Throttle
  readonly seal: (text: string) => string
  readonly unseal: (sealed: string) => string | undefined
  readonly hashPin: (pin: string) => Promise<string>
  readonly newCodeSecret: () => string
  readonly codeUri: (secret: string, phone: string) => string
  readonly stepOfCode: (secret: string, code: string) => number | null
  readonly isPhoneTaken: (phone: string) => Promise<boolean>
  readonly registerPayer: (
    profile: Profile,
    credentials: Credentials,
    context: Context,
  ) => Promise<string>
  /** A QR code as a data URL. */
  readonly qrImage: { readonly dataUrl: (text: string) => Promise<string> }
}

/** Nothing is stored until the authenticator app is proven to work. */
const registration = z.object({
  profile: profileSchema,
  pinHash: z.string(),
  codeSecret: z.string(),
  until: z.int(),
})
export type Registration = z.output<typeof registration>
const registrationLifetimeMs = 900_000

export type Typed = { readonly phone: string; readonly name: string; readonly pin: string }

/** Signing up in two steps: details, then the code of a new authenticator. */
export const makeSignUp = (needs: SignUpNeeds) => ({
  /** Undefined when a field is malformed. @throws Refusal payer_exists, sign_in_is_locked */
  begin: async (
    fields: Typed,
    { at, request }: Call,
  ): Promise<(Registration & { readonly sealed: string; readonly uri: string }) | undefined> => {
    const address = request.remoteAddress ?? ''
    needs.throttle.check(address, at)
    const phone = phoneDigits(fields.phone) ?? ''
    const read = profileSchema.safeParse(plainProfile(fields.name, phone))
    if (!read.success || !pinPattern.test(fields.pin)) return undefined
    // The answer reveals who has an account, so limit it.
    needs.throttle.count(address, at)
    if (await needs.isPhoneTaken(phone)) return refuse('payer_exists')
    const codeSecret = needs.newCodeSecret()
    const pinHash = await needs.hashPin(fields.pin)
    const until = at + registrationLifetimeMs
    const data = { profile: read.data, pinHash, codeSecret, until }
    const sealed = needs.seal(JSON.stringify(data))
    return { ...data, sealed, uri: needs.codeUri(codeSecret, phone) }
  },
  read: (sealed: string, at: Instant): Registration | undefined => {
    const text = needs.unseal(sealed)
    const read = text === undefined ? undefined : registration.safeParse(JSON.parse(text))
    return read?.success && at < read.data.until ? read.data : undefined
  },
  /** Returns the new payer's id; undefined for a wrong code. */
  finish: async (known: Registration, code: string, call: Call): Promise<string | undefined> => {
    const { profile, pinHash, codeSecret } = known
    needs.throttle.check(call.request.remoteAddress ?? '', call.at)
    if (needs.stepOfCode(codeSecret, code.replaceAll(' ', '')) === null) {
      needs.throttle.count(call.request.remoteAddress ?? '', call.at)
      return undefined
    }
    const { at, requestId: correlationId } = call
    const context = { at, merchant: null, actor: 'payer', correlationId }
    return needs.registerPayer(profile, { pinHash, codeSecret }, context)
  },
})
