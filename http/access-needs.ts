import type { Admit } from '../application/request-limits.ts'
import type { SecretGuesses, VerifySecret } from '../application/secret-guesses.ts'
import type { SecurityLog } from '../application/security-log.ts'
import type { Names } from './assets.ts'

type KnownUser = {
  readonly id: string
  readonly roles: readonly string[]
  readonly netmask: string | null
  readonly secretHash: string | null
  readonly secretDigest?: string | undefined
  readonly publicKey: string | null
  /** Absent: it may. */
  readonly mayRefund?: boolean | undefined
}

/** Undefined when there is no such user. */
export type FoundUser =
  | {
      readonly user: KnownUser
      readonly merchantNetmask: string | null
      /** Undefined while both are enabled. */
      readonly disabled: 'user' | 'merchant' | undefined
    }
  | undefined

export type AccessNeeds = {
  readonly names: Names
  /** From this process's memory. */
  readonly recallUser: (merchant: string, user: string) => FoundUser
  /** From the log. */
  readonly findUser: (merchant: string, user: string) => Promise<FoundUser>
  readonly verifySecret: VerifySecret
  /** Whether a digest is kept of the secret, and is right. */
  readonly isDigestOf: (
    secret: string,
    slowHash: string | null,
    kept: string | undefined,
  ) => boolean
  /** Slows down who guesses. @throws Refusal secrets_are_wrong_too_often */
  readonly guardGuesses: SecretGuesses
  readonly securityLog: SecurityLog
  /** Takes a request into account; undefined while much is left of its limits. */
  readonly admit: Admit
  /** Takes as long without a key. */
  readonly verifySignature: (publicKey: string | null, text: string, signature: string) => boolean
  readonly fingerprint: (publicKey: string) => string
  readonly sealAddress: (address: string) => string
  readonly contentDigest: (body: Uint8Array) => string
  readonly isWithin: (address: string | undefined, netmask: string) => boolean
  /** The machine's clock, which the sandbox does not move. */
  readonly machineNow: () => number
  readonly clockToleranceMs: number
}
