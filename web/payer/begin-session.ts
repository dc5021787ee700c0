import type { Find } from '../../application/find-state.ts'
import type { Context, Handle } from '../../application/handle.ts'
import type { SignIn } from '../../application/sign-in.ts'
import { payers } from '../../domain/aggregates.ts'
import { contextOfPayer, type Call } from '../../http/call.ts'
import { keptLanguage } from '../ui/texts.ts'
import { deviceName } from './devices.tsx'
import type { Visitor, Visits } from './session.tsx'

export type BeginSessionNeeds = {
  readonly signIn: SignIn
  readonly find: Find
  readonly handle: Handle
  readonly signOut: (payer: string, session: string, context: Context) => Promise<void>
}

/** The language that was chosen on this device, for an account that has none yet. */
const keepChosen = async (
  { find, handle }: Pick<BeginSessionNeeds, 'find' | 'handle'>,
  id: string,
  call: Call,
): Promise<void> => {
  const language = keptLanguage(call.request)
  const payer = await find(payers, id)
  if (!language || payer.status !== 'present' || payer.preferences?.language) return
  const command = { type: 'ChangePreferences', preferences: { language } } as const
  await handle(payers, id, command, contextOfPayer(call, id))
}

/**
 * Starts a session with a one-time code and returns its cookies; ends the browser's previous
 * session. @throws Refusal sign_in_is_wrong, sign_in_is_locked, payer_is_unknown
 */
export const beginSession =
  ({ signIn, signOut, find, handle }: BeginSessionNeeds, visits: Visits) =>
  async (visitor: Visitor, payer: string, code: string, call: Call): Promise<string[]> => {
    const { session } = visitor
    const { known, cookies } = visits.knownDevice(visitor)
    const { token } = await signIn.checkCode(payer, code, contextOfPayer(call, payer), {
      name: deviceName(call.request.header('user-agent')),
      known,
    })
    if (session) await signOut(session.payer, session.digest, contextOfPayer(call, session.payer))
    await keepChosen({ find, handle }, payer, call)
    return [visits.cookieFor(token), ...cookies]
  }
