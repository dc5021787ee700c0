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
