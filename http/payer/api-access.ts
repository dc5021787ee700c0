import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import { isLive, type SignIn } from '../../application/payers.ts'
import { phoneDigits } from '../../application/people.ts'
import { pinPattern } from '../../domain/people/payer.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Links } from '../addresses.ts'
import { contextOfPayer, type Call } from '../call.ts'
import { Malformed, RequestError } from '../errors.ts'
import { asWritten } from '../nothing.ts'
import { payerChallenge } from '../refusal-answers.ts'
import { route, type Route } from '../route.ts'
import { createdReply, dateTime } from '../wire.ts'
import { deviceName } from './device-name.ts'
import { makeSignUp, type SignUpNeeds } from './sign-up.ts'

export type ApiAccessNeeds = SignUpNeeds & {
  readonly links: Links
  readonly signIn: SignIn
  readonly digestOf: (token: string) => string
  readonly findSession: (
    digest: string,
  ) => Promise<{ readonly payer: string; readonly expiresAt: Instant } | undefined>
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

export const payerPrefix = '/payer/v1'
export const payerGroup = 'Payer'

const phoneText = z
  .string()
  .max(30)
  .transform((text, context) => {
    const digits = phoneDigits(text)
    if (digits !== undefined) return digits
    context.addIssue('Must be 8 to 15 digits with the country code.')
    return z.NEVER
  })
  .meta({ description: 'Digits with the country code, with or without +.' })
export const fullName = z.string().trim().min(1).max(200)
const pinText = asWritten(z.string().regex(pinPattern, 'Must be 4 to 12 digits.'))
const codeText = z.string().regex(/^\d{6}$/, 'Must be six digits.')

/** @throws RequestError 401 without the token of a live session */
export const makePayerAccess =
  ({ digestOf, findSession }: Pick<ApiAccessNeeds, 'digestOf' | 'findSession'>) =>
  async ({ request, at }: Call): Promise<{ readonly payer: string; readonly session: string }> => {
    const [, token] = /^bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? []
    const session = token === undefined ? undefined : digestOf(token)
    const found = session === undefined ? undefined : await findSession(session)
    if (session === undefined || !found || !isLive(found, at))
      throw new RequestError(401, 'Sign in first: a session token is needed.', null, payerChallenge)
    return { payer: found.payer, session }
  }

export type PayerAccess = ReturnType<typeof makePayerAccess>

/** Accounts and sessions of payers, as JSON for apps. */
export const payerAccessRoutes = (needs: ApiAccessNeeds): Route[] => {
  const signUp = makeSignUp(needs)
  const access = makePayerAccess(needs)

  return [
    route({
      method: 'POST',
      path: `${payerPrefix}/sign_up/`,
      access: 'OPEN',
      group: payerGroup,
      summary: 'Begin to make an account',
      description:
        'Nothing is stored yet: put totp_secret into an authenticator, then POST registration and its code to /payer/v1/payer/.',
      body: z
        .object({ phone: phoneText, name: fullName, pin: pinText })
        .meta({ id: 'PayerSignUp' }),
      success: 'value',
      reply: z
        .object({ registration: z.string(), totp_secret: z.string(), totp_uri: z.string() })
        .meta({ id: 'PayerRegistration' }),
      handle: async (call) => {
        const begun = await signUp.begin(call.body, call)
        if (!begun) throw new Malformed({ phone: ['Is not valid.'] })
        return { registration: begun.sealed, totp_secret: begun.codeSecret, totp_uri: begun.uri }
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/payer/`,
      access: 'OPEN',
      group: payerGroup,
      summary: 'Make an account with the first code of its authenticator',
      body: z
        .object({ registration: z.string().max(10_000), code: codeText })
        .meta({ id: 'PayerInput' }),
      success: 'created',
      reply: createdReply,
      handle: async (call) => {
        const known = signUp.read(call.body.registration, call.at)
        if (!known) throw new Malformed({ registration: ['Is not valid, or too old.'] })
        const payer = await signUp.finish(known, call.body.code, call)
        if (payer === undefined) throw new Malformed({ code: ['Is wrong.'] })
        return { location: needs.links.full(`${payerPrefix}/profile/`), value: { id: payer } }
      },
    }),
    route({
      method: 'POST',
      path: `${payerPrefix}/session/`,
      access: 'OPEN',
      group: payerGroup,
      summary: 'Sign in with both factors; the token goes into Authorization: Bearer',
      body: z
        .object({ phone: phoneText, pin: pinText, code: codeText })
        .meta({ id: 'PayerSignIn' }),
      success: 'created',
      errors: {
        401: 'A factor is wrong.',
        429: 'Too many failed attempts: Retry-After says for how many seconds.',
      },
      reply: createdReply
        .extend({ token: z.string(), date_expires: dateTime })
        .meta({ id: 'PayerSession' }),
      handle: async (call) => {
        const { phone, pin, code } = call.body
        const address = call.request.remoteAddress ?? ''
        needs.throttle.check(address, call.at)
        try {
          const anybody = contextOfPayer(call, 'unknown')
          const payer = await needs.signIn.checkPin(phone, pin, anybody)
          const context = contextOfPayer(call, payer)
          const { token, expiresAt } = await needs.signIn.checkCode(
            ...([payer, code, context, deviceName(call.request.header('user-agent'))] as const),
          )
          const location = needs.links.full(`${payerPrefix}/session/`)
          const id = needs.digestOf(token)
          return { location, value: { id, token, date_expires: expiresAt } }
        } catch (error) {
          if (error instanceof Refusal) needs.throttle.count(address, call.at)
          throw error
        }
      },
    }),
    route({
      method: 'DELETE',
      path: `${payerPrefix}/session/`,
      access: 'OPEN',
      guard: 'session',
      group: payerGroup,
      summary: 'Sign out',
      success: 'nothing',
      handle: async (call) => {
        const { payer, session } = await access(call)
        await needs.signOut(payer, session, contextOfPayer(call, payer))
      },
    }),
  ]
}
