import type { Context } from '../../application/handle.ts'
import type { SignIn } from '../../application/sign-in.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { deviceName } from './devices.tsx'
import type { Visitor, Visits } from './session.tsx'

export type BeginSessionNeeds = {
  readonly signIn: SignIn
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/**
 * Starts a session with a one-time code and returns its cookies; ends the browser's previous
 * session. @throws Refusal sign_in_is_wrong, sign_in_is_locked, payer_is_unknown
 */
export const beginSession =
  ({ signIn, signOut }: BeginSessionNeeds, visits: Visits) =>
  async (visitor: Visitor, payer: string, code: string, call: Call): Promise<string[]> => {
    const { session } = visitor
    const { known, cookies } = visits.knownDevice(visitor)
    const { token } = await signIn.checkCode(payer, code, contextOfPayer(call, payer), {
      name: deviceName(call.request.header('user-agent')),
      known,
    })
    if (session) await signOut(session.payer, session.digest, contextOfPayer(call, session.payer))
    return [visits.cookieFor(token), ...cookies]
  }
