import { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import type { SignIn } from '../../application/sign-in.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { Links } from '../../http/addresses.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import type { Route } from '../../http/route.ts'
import { sessionTokenOf, toSignInFirst } from '../../http/own-cookie.ts'
import { createdReply, dateTime } from '../../http/wire.ts'
import { anyCode, ofApps, ofPayer, payerPrefix, phoneText, pinText } from './api-fields.ts'
import {
  deviceName,
  deviceReply,
  deviceTokenText,
  makeDevice,
  type DeviceTokenNeeds,
} from './devices.tsx'
import type { Throttle } from '../ui/fields.tsx'

export type ApiAccessNeeds = DeviceTokenNeeds & {
  readonly throttle: Throttle
  readonly links: Links
  readonly signIn: SignIn
  readonly findSession: (
    digest: string,
    at: Instant,
  ) => Promise<{ readonly payer: string } | undefined>
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/** @throws RequestError 401 without the token of a live session */
export const makePayerAccess =
  ({ digestOf, findSession }: Pick<ApiAccessNeeds, 'digestOf' | 'findSession'>) =>
  async ({ request, at }: Call): Promise<{ readonly payer: string; readonly session: string }> => {
    const token = sessionTokenOf(request)
    const session = token === undefined ? undefined : digestOf(token)
    const found = session === undefined ? undefined : await findSession(session, at)
    if (session === undefined || !found) throw toSignInFirst()
    return { payer: found.payer, session }
  }

export type PayerAccess = ReturnType<typeof makePayerAccess>

export const payerAccessRoutes = (needs: ApiAccessNeeds): Route[] => {
  const access = makePayerAccess(needs)

  return [
    ofApps.post(`${payerPrefix}/session/`, {
      summary: 'Sign in with both factors; the token goes into Authorization: Bearer',
      body: z
        .object({ phone: phoneText, pin: pinText, code: anyCode, device_token: deviceTokenText })
        .meta({ id: 'PayerSignIn' }),
      success: 'created',
      errors: {
        401: 'A factor is wrong.',
        429: 'Too many failed attempts: Retry-After says for how many seconds.',
      },
      reply: createdReply
        .extend({ token: z.string(), date_expires: dateTime, device_token: deviceReply })
        .meta({ id: 'PayerSession' }),
      handle: async (call) => {
        const { phone, pin, code, device_token: sent } = call.body
        const address = call.request.remoteAddress ?? ''
        const { token: deviceToken, known } = makeDevice(needs, sent)
        // Others at the same address cannot keep out a device that has signed in before.
        const isKnown = await needs.signIn.isKnownDevice(phone, known)
        if (!isKnown) needs.throttle.check(address, call.at)
        try {
          const anybody = contextOfPayer(call, 'unknown')
          const payer = await needs.signIn.checkPin(phone, pin, anybody, known)
          const context = contextOfPayer(call, payer)
          const device = { name: deviceName(call.request.header('user-agent')), known }
          const begun = await needs.signIn.checkCode(payer, code, context, device)
          const { token, expiresAt: date_expires } = begun
          const location = needs.links.full(`${payerPrefix}/session/`)
          const id = needs.digestOf(token)
          return { location, value: { id, token, date_expires, device_token: deviceToken } }
        } catch (error) {
          if (error instanceof Refusal && !isKnown) needs.throttle.count(address, call.at)
          throw error
        }
      },
    }),
    ofPayer.remove(`${payerPrefix}/session/`, {
      summary: 'Sign out',
      handle: async (call) => {
        const { payer, session } = await access(call)
        await needs.signOut(payer, session, contextOfPayer(call, payer))
      },
    }),
  ]
}
