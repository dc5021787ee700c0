import type { Names } from './brand.ts'

type KnownUser = {
  readonly id: string
  readonly roles: readonly string[]
  readonly netmask: string | null
  readonly secretHash: string | null
  readonly publicKey: string | null
}

/** A user with the netmask of its merchant; undefined when there is no such user. */
export type FoundUser =
  { readonly user: KnownUser; readonly merchantNetmask: string | null } | undefined

/** What authentication asks of the rest of the service. */
export type AccessNeeds = {
  readonly names: Names
  /** The user of a merchant as this process remembers it. */
  readonly recallUser: (merchant: string, user: string) => FoundUser
  /** The user of a merchant as it stands in the log now. */
  readonly findUser: (merchant: string, user: string) => Promise<FoundUser>
  /**
   * Whether a secret belongs to a slow hash; as slow for no hash at all, for each name that is claimed. The checks of those
   * from whom secrets come take turns.
   */
  readonly verifySecret: (
    secret: string,
    hash: string | null,
    claimed: string,
    from: string | undefined,
  ) => boolean | Promise<boolean>
  /** Whether a signature was made with the key of a public key; as slow for no key at all. */
  readonly verifySignature: (publicKey: string | null, text: string, signature: string) => boolean
  readonly contentDigest: (body: Uint8Array) => string
  readonly isWithin: (address: string | undefined, netmask: string) => boolean
  /** The machine's own clock, which the sandbox does not move. */
  readonly machineNow: () => number
  readonly clockToleranceMs: number
}
