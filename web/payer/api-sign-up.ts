import { z } from 'zod'
import type { Links } from '../../http/addresses.ts'
import type { Call } from '../../http/call.ts'
import { Malformed, malformed } from '../../http/errors.ts'
import type { Route } from '../../http/route.ts'
import { createdReply } from '../../http/wire.ts'
import { codeText, fullName, newPinText, ofApps, payerPrefix, phoneText } from './api-fields.ts'
import { makeSignUp, type SignUp, type SignUpNeeds } from './sign-up.ts'
import { textsFor } from '../ui/texts.ts'

export const recoveryCodesReply = z.array(z.string()).meta({
  description: 'Each is good once, instead of a one-time code. They are shown only now.',
})

type Needs = SignUpNeeds & { readonly links: Links }

const wrongRegistration = { path: ['registration'], message: 'Is not valid, or too old.' }

const beginRoute = (needs: Needs, signUp: SignUp): Route =>
  ofApps.post(`${payerPrefix}/sign_up/`, {
    summary: 'Begin to make an account: a code is sent to the phone number',
    description:
      'Nothing is stored yet: put totp_secret into an authenticator, then POST registration ' +
      'with its code and the code of the message to /payer/v1/payer/. The answer is the same ' +
      'for a number that has an account: the message says so.',
    body: z
      .object({ phone: phoneText, name: fullName, pin: newPinText })
      .meta({ id: 'PayerSignUp' }),
    errors: { 429: 'Too many messages or attempts: Retry-After says for how many seconds.' },
    reply: z
      .object({ registration: z.string(), totp_secret: z.string(), totp_uri: z.string() })
      .meta({ id: 'PayerRegistration' }),
    handle: async (call) => {
      const begun = await signUp.begin(call.body, textsFor(call), call)
      if (!begun) throw new Malformed({ phone: ['Is not valid.'] })
      const { sealed: registration, codeSecret: totp_secret, profile } = begun
      return { registration, totp_secret, totp_uri: needs.codeUri(totp_secret, profile.phone) }
    },
  })

const finishRoute = ({ links }: Needs, signUp: SignUp): Route =>
  ofApps.post(`${payerPrefix}/payer/`, {
    summary: 'Make an account with both codes: of the message and of the authenticator',
    description: 'The account takes the number from another that has it.',
    body: z
      .object({
        registration: z.string().max(10_000),
        number_code: codeText.meta({ description: 'Of the message to the phone number.' }),
        code: codeText.meta({ description: 'Of the new authenticator.' }),
      })
      .meta({ id: 'PayerInput' }),
    success: 'created',
    errors: { 429: 'Too many wrong codes: Retry-After says for how many seconds.' },
    // Codes are tried only when everything fits: each try counts.
    furtherFaults: ({ body, at }: Call<unknown, unknown, { registration?: string }>) =>
      body.registration === undefined || signUp.read(body.registration, at)
        ? []
        : [wrongRegistration],
    reply: createdReply.extend({ recovery_codes: recoveryCodesReply }).meta({ id: 'PayerCreated' }),
    handle: async (call) => {
      const { registration, number_code: numberCode, code } = call.body
      const known = signUp.read(registration, call.at)
      if (!known) throw malformed({ issues: [wrongRegistration] })
      const proved = await signUp.prove(known, numberCode, call.at)
      const finished = proved && (await signUp.finish(proved, code, call))
      if (!finished) throw new Malformed({ number_code: ['Is wrong, or too old.'] })
      if ('wrong' in finished) throw new Malformed({ [finished.wrong]: ['Is wrong.'] })
      const { payer: id, recoveryCodes: recovery_codes } = finished
      const location = links.full(`${payerPrefix}/profile/`)
      return { location, value: { id, recovery_codes: [...recovery_codes] } }
    },
  })

export const payerSignUpRoutes = (needs: Needs): Route[] => {
  const signUp = makeSignUp(needs)
  return [beginRoute(needs, signUp), finishRoute(needs, signUp)]
}
