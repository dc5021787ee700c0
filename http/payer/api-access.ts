import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import { isLive, type SignIn } from '../../application/sign-in.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Links } from '../addresses.ts'
import { contextOfPayer, type Call } from '../call.ts'
import { RequestError } from '../errors.ts'
import { payerChallenge } from '../refusal-answers.ts'
import { route, type Route } from '../route.ts'
import { createdReply, dateTime } from '../wire.ts'
import { codeText, payerGroup, payerPrefix, phoneText, pinText } from './api-fields.ts'
import { deviceName } from './device-name.ts'
import type { Throttle } from './fields.ts'

export type ApiAccessNeeds = {
  readonly throttle: Throttle
  readonly links: Links
  readonly signIn: SignIn
  readonly digestOf: (token: string) => string
  readonly findSession: (
    digest: string,
  ) => Promise<{ readonly payer: string; readonly expiresAt: Instant } | undefined>
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

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

/** Sessions of payers, as JSON for apps. */
export const payerAccessRoutes = (needs: ApiAccessNeeds): Route[] => {
  const access = makePayerAccess(needs)

  return [
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
            ...([
              payer,
              code,
              context,
              { name: deviceName(call.request.header('user-agent')) },
            ] as const),
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
