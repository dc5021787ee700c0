import type { changeProfile } from '../../application/payers.ts'
import type { Context } from '../../application/handle.ts'
import type { Profile } from '../../domain/people/profile.ts'
import type { Scope } from '../../domain/people/scope.ts'
import { refuse } from '../../domain/refusal.ts'
import type { FormOf } from '../../http/forms.ts'
import { readProfile, typedProfile, type profileForm } from './profile-fields.ts'
import type { ChoiceSoFar } from './scope-choice.ts'
import type { SignedIn } from './session.ts'

export type EnteringNeeds = {
  readonly findProfile: (payer: string) => Promise<Profile | undefined>
  readonly changeProfile: ReturnType<typeof changeProfile>
}

/** Stores missing data that the payer entered to share it; returns the problems. */
export const enterMissing =
  ({ findProfile, changeProfile }: EnteringNeeds) =>
  async (
    { session: { payer }, texts }: SignedIn,
    form: FormOf<typeof profileForm>,
    ticked: readonly Scope[],
    context: Context,
  ): Promise<ChoiceSoFar | undefined> => {
    const typed = typedProfile(form)
    const known = (await findProfile(payer)) ?? refuse('payer_is_unknown')
    const read = readProfile(typed, known, texts)
    if ('problems' in read) return { ticked, typed, problems: read.problems }
    const { email, address, shippingAddress } = read.changes
    const isNew = (scope: Scope, before: unknown, now: unknown) =>
      ticked.includes(scope) && before === null && now !== null
    const changes = {
      ...(isNew('email', known.email, email) && { email }),
      ...(isNew('address', known.address, address) && { address }),
      ...(isNew('shipping_address', known.shippingAddress, shippingAddress) && { shippingAddress }),
    }
    if (Object.keys(changes).length > 0) await changeProfile(payer, changes, context)
    return undefined
  }
