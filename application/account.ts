import { withoutBlanks } from '../domain/blanks.ts'
import { payers } from '../domain/aggregates.ts'
import { profile as profileSchema } from '../domain/people/profile.ts'
import type { PayerCommand } from '../domain/people/payer.ts'
import { refuse } from '../domain/refusal.ts'
import type { Context } from './handle.ts'
import { findCredentials, type Credentials } from './payers.ts'
import type { PeopleWork } from './people.ts'
import { releaseNumber } from './register-payer.ts'
import { checkOwnPin, readCode, type SignInNeeds } from './sign-in.ts'

/** Both factors again; without `pin`, only the second. */
type Confirmation = {
  readonly pin?: string | undefined
  readonly code: string
  /** SHA-256 of the device's cookie. */
  readonly known?: string | undefined
}

/** Checks factors again. @throws Refusal sign_in_is_wrong, sign_in_is_locked */
export const confirmPayer = (needs: SignInNeeds) => {
  const { handle, codesWorkOnce } = needs
  const isPinOf = checkOwnPin(needs)
  const read = readCode(needs)
  return async (
    id: string,
    { pin, code, known }: Confirmation,
    context: Context,
  ): Promise<void> => {
    if (pin !== undefined && !(await isPinOf(id, pin, known, context)))
      return refuse('sign_in_is_wrong')
    const parsedCode = await read(id, withoutBlanks(code))
    // A recovery code replaces the authenticator only if the PIN is checked too.
    const recovery = pin === undefined ? undefined : parsedCode.recovery
    const { at } = context
    const command = {
      type: 'ConfirmCode',
      at,
      ...parsedCode,
      recovery,
      codesWorkOnce,
      known,
    } as const
    const { events } = await handle(payers, id, command, context)
    if (events.some(({ type }) => type === 'PayerSignInFailed')) refuse('sign_in_is_wrong')
  }
}

type Change = Extract<PayerCommand, { readonly type: 'ChangeCredentials' }>

type CredentialsOptions = Partial<Pick<Change, 'codeStep' | 'known' | 'keeping'>>

/** Replaces some credentials; all other sessions end. */
export const changeCredentials = (needs: PeopleWork) => {
  const credentialsOf = findCredentials(needs)
  return async (
    id: string,
    what: Change['what'],
    changes: Partial<Credentials>,
    context: Context,
    options: CredentialsOptions = {},
  ): Promise<void> => {
    const { credentials, sealed: before } = (await credentialsOf(id)) ?? refuse('payer_is_unknown')
    const changed = needs.people.seal(id, JSON.stringify({ ...credentials, ...changes }))
    const { at } = context
    const change = { type: 'ChangeCredentials', at, before, credentials: changed, what } as const
    await needs.handle(payers, id, { ...change, ...options }, context)
  }
}

/** Assigns a proved phone number to an account, and removes it from its previous holder. */
export const proveNumber = (needs: PeopleWork) => {
  const { handle, find, people } = needs
  const release = releaseNumber(needs)
  return async (id: string, phone: string, context: Context): Promise<void> => {
    await people.caughtUp()
    const payer = await find(payers, id)
    const text = payer.status === 'present' ? people.unseal(id, payer.profile) : undefined
    if (payer.status !== 'present' || text === undefined) return refuse('payer_is_unknown')
    const holder = people.findPerson(phone)
    const isOther = holder !== undefined && holder !== id
    const isAccount = isOther && (await find(payers, holder)).status === 'present'
    if (isOther) await release(holder, context)
    await people.rename(id, phone)
    const known = profileSchema.parse(JSON.parse(text))
    const profile = people.seal(id, JSON.stringify({ ...known, phone, isPhoneVerified: true }))
    const absorbed = isOther && !isAccount ? holder : undefined
    const command = { type: 'ProveNumber', before: payer.profile, profile, absorbed } as const
    await handle(payers, id, command, context)
  }
}
