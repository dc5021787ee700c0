import { users } from '../domain/aggregates.ts'
import type { UserData } from '../domain/merchant/user.ts'
import { within } from '../domain/stream.ts'
import type { Context, Deciding } from './handle.ts'
import type { MaybePromise } from './maybe-promise.ts'

export type SecretNeeds = {
  readonly hashSecret: (secret: string) => Promise<string>
  readonly verifySecret: (secret: string, hash: string) => MaybePromise<boolean>
  /** Undefined for a secret that may be guessed. */
  readonly digestSecret: (hash: string, secret: string) => string | undefined
}

type Kept = { readonly secretHash: string; readonly secretDigest?: string }
type Known = { readonly secretHash: string | null; readonly secretDigest?: string | undefined }

/** What is stored of an API user's secret: the same for the same one, so repeats count once. */
export const keepSecret =
  ({ hashSecret, verifySecret, digestSecret }: SecretNeeds) =>
  async (secret: string, known?: Known): Promise<Kept> => {
    const before = known?.secretHash ?? null
    const isSame = before !== null && (await verifySecret(secret, before))
    const secretHash = isSame ? before : await hashSecret(secret)
    const secretDigest = isSame ? known?.secretDigest : digestSecret(secretHash, secret)
    return { secretHash, ...(secretDigest !== undefined && { secretDigest }) }
  }

/**
 * Makes an API user. `giverMayRefund` as in the command of a user.
 * @throws Refusal id_used_with_other_data, user_has_no_credentials, refunds_are_not_yours_to_give
 */
export const registerUser =
  (needs: SecretNeeds & Deciding) =>
  async (
    user: Omit<UserData, 'secretHash' | 'secretDigest'>,
    secret: string | undefined,
    context: Context,
    giverMayRefund?: boolean,
  ) => {
    const key = within(user.merchant, user.id)
    const entry = await needs.find(users, key, 'log')
    const known = entry.status === 'present' ? entry.registered : undefined
    const kept =
      secret === undefined ? { secretHash: null } : await keepSecret(needs)(secret, known)
    const data = { ...user, ...kept }
    const facts = giverMayRefund === undefined ? {} : { giverMayRefund }
    return (await needs.handle(users, key, { type: 'Register', data, ...facts }, context)).state
  }
