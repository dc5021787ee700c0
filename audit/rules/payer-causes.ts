import type { Causes, Given } from './causes.ts'
import type { PayerCommand } from '../../domain/people/payer.ts'
import type { PayerEvent, Payer } from '../../domain/people/payer-state.ts'

type GivenPayer = Given<PayerEvent, Payer>

type Data<Type extends PayerEvent['type']> = Extract<PayerEvent, { readonly type: Type }>['data']

/** The data is sealed, so the command started from the state before the event. */
const sealedBefore = ({ state }: GivenPayer, what: 'profile' | 'credentials'): string =>
  state.status === 'present' ? state[what] : ''

/** Whether a code was right is not recorded, but a reused code is detected. */
const attempt = ({ at, facts }: GivenPayer, known: string | undefined) => ({
  at,
  known,
  codesWorkOnce: facts.codesWorkOnce(),
})

const signedIn = (data: Data<'PayerSignedIn'>, given: GivenPayer) =>
  ({ type: 'SignIn', ...data, ...attempt(given, data.known) }) as const

/**
 * Devices that may have sent the request: it is not recorded which, and each has its own lockout.
 */
const devicesOf = ({ state }: GivenPayer): readonly (string | undefined)[] =>
  state.status === 'present' ? [undefined, ...state.devices.map(({ known }) => known)] : [undefined]

const confirmedBy = (
  given: GivenPayer,
  code: Pick<Extract<PayerCommand, { type: 'ConfirmCode' }>, 'codeStep' | 'recovery'>,
): readonly PayerCommand[] =>
  devicesOf(given).map((known) => ({ type: 'ConfirmCode', ...attempt(given, known), ...code }))

/** The session that remained when all others ended. */
const keptSession = ({ state, next, at }: GivenPayer): string | undefined => {
  if (state.status !== 'present') return undefined
  const ended = new Set(
    next.flatMap((event) => (event.type === 'PayerSignedOut' ? [event.data.session] : [])),
  )
  return state.sessions.find(({ session, expiresAt }) => at < expiresAt && !ended.has(session))
    ?.session
}

const credentialsChanged = (
  data: Data<'PayerCredentialsChanged'>,
  given: GivenPayer,
): readonly PayerCommand[] => {
  const { credentials, what, codeStep, known } = data
  const before = sealedBefore(given, 'credentials')
  const { at } = given
  if (what !== 'recovery_code_used') {
    const options = { codeStep, known, keeping: keptSession(given) }
    return [{ type: 'ChangeCredentials', at, before, credentials, what, ...options }]
  }
  const recovery = { before, credentials }
  const [after] = given.next
  const confirmed = confirmedBy(given, { codeStep: null, recovery })
  if (after?.type !== 'PayerSignedIn') return confirmed
  return [{ ...signedIn(after.data, given), recovery }, ...confirmed]
}

export const payerCauses: Causes<PayerCommand, PayerEvent, Payer> = {
  PayerRegistered: (data) => [{ type: 'RegisterPayer', ...data }],
  PayerProfileChanged: ({ profile }, given) => [
    { type: 'ChangeProfile', before: sealedBefore(given, 'profile'), profile },
  ],
  PayerPreferencesChanged: (data) => [{ type: 'ChangePreferences', preferences: data }],
  PayerNumberProved: ({ profile, absorbed }, given) => [
    { type: 'ProveNumber', before: sealedBefore(given, 'profile'), profile, absorbed },
  ],
  PayerNumberLost: () => [{ type: 'LoseNumber' }],
  PayerSignInFailed: ({ factor, known }, given) => {
    const tried = attempt(given, known)
    return factor === 'pin'
      ? [{ type: 'CheckPin', ...tried, isRight: false }]
      : [{ type: 'ConfirmCode', ...tried, codeStep: null }]
  },
  PayerSignedIn: (data, given) => [signedIn(data, given)],
  PayerSessionUsed: ({ session }) => [{ type: 'UseSession', session }],
  PayerSignedOut: ({ session }) => [{ type: 'SignOut', session }],
  PayerCodeConfirmed: ({ codeStep }, given) => confirmedBy(given, { codeStep }),
  PayerCredentialsChanged: credentialsChanged,
  PayerErased: () => [{ type: 'ErasePayer' }],
}
