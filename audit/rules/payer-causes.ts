import type { Causes, Circumstances } from './causes.ts'
import type { PayerCommand } from '../../domain/people/payer.ts'
import type { PayerEvent, Payer } from '../../domain/people/payer-state.ts'

type PayerCircumstances = Circumstances<PayerEvent, Payer>

type Data<Type extends PayerEvent['type']> = Extract<PayerEvent, { readonly type: Type }>['data']

/** The data is sealed, so the command started from the state before the event. */
const sealedBefore = ({ state }: PayerCircumstances, what: 'profile' | 'credentials'): string =>
  state.status === 'present' ? state[what] : ''

/** Whether a code was right is not recorded, but a reused code is detected. */
const attempt = ({ at, facts }: PayerCircumstances, known: string | undefined) => ({
  at,
  known,
  codesWorkOnce: facts.codesWorkOnce(),
})

const signedIn = (data: Data<'PayerSignedIn'>, about: PayerCircumstances) =>
  ({ type: 'SignIn', ...data, ...attempt(about, data.known) }) as const

/**
 * Devices that may have sent the request: it is not recorded which, and each has its own lockout.
 */
const devicesOf = ({ state }: PayerCircumstances): readonly (string | undefined)[] =>
  state.status === 'present' ? [undefined, ...state.devices.map(({ known }) => known)] : [undefined]

const confirmedBy = (
  about: PayerCircumstances,
  code: Pick<Extract<PayerCommand, { type: 'ConfirmCode' }>, 'codeStep' | 'recovery'>,
): readonly PayerCommand[] =>
  devicesOf(about).map((known) => ({ type: 'ConfirmCode', ...attempt(about, known), ...code }))

/** The session that remained when all others ended. */
const keptSession = ({ state, next, at }: PayerCircumstances): string | undefined => {
  if (state.status !== 'present') return undefined
  const ended = new Set(
    next.flatMap((event) => (event.type === 'PayerSignedOut' ? [event.data.session] : [])),
  )
  return state.sessions.find(({ session, expiresAt }) => at < expiresAt && !ended.has(session))
    ?.session
}

const credentialsChanged = (
  data: Data<'PayerCredentialsChanged'>,
  about: PayerCircumstances,
): readonly PayerCommand[] => {
  const { credentials, what, codeStep, known } = data
  const before = sealedBefore(about, 'credentials')
  const { at } = about
  if (what !== 'recovery_code_used') {
    const options = { codeStep, known, keeping: keptSession(about) }
    return [{ type: 'ChangeCredentials', at, before, credentials, what, ...options }]
  }
  const recovery = { before, credentials }
  const [after] = about.next
  const confirmed = confirmedBy(about, { codeStep: null, recovery })
  if (after?.type !== 'PayerSignedIn') return confirmed
  return [{ ...signedIn(after.data, about), recovery }, ...confirmed]
}

export const payerCauses: Causes<PayerCommand, PayerEvent, Payer> = {
  PayerRegistered: (data) => [{ type: 'RegisterPayer', ...data }],
  PayerProfileChanged: ({ profile }, about) => [
    { type: 'ChangeProfile', before: sealedBefore(about, 'profile'), profile },
  ],
  PayerPreferencesChanged: (data) => [{ type: 'ChangePreferences', preferences: data }],
  PayerNumberProved: ({ profile, absorbed }, about) => [
    { type: 'ProveNumber', before: sealedBefore(about, 'profile'), profile, absorbed },
  ],
  PayerNumberLost: () => [{ type: 'LoseNumber' }],
  PayerSignInFailed: ({ factor, known }, about) => {
    const tried = attempt(about, known)
    return factor === 'pin'
      ? [{ type: 'CheckPin', ...tried, isRight: false }]
      : [{ type: 'ConfirmCode', ...tried, codeStep: null }]
  },
  PayerSignedIn: (data, about) => [signedIn(data, about)],
  PayerSessionUsed: ({ session }) => [{ type: 'UseSession', session }],
  PayerSignedOut: ({ session }) => [{ type: 'SignOut', session }],
  PayerCodeConfirmed: ({ codeStep }, about) => confirmedBy(about, { codeStep }),
  PayerCredentialsChanged: credentialsChanged,
  PayerErased: () => [{ type: 'ErasePayer' }],
}
