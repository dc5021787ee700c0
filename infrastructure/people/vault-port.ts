import type { People } from '../../application/people.ts'
import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import type { VaultKey } from './vault-keys.ts'

/** `wrapped`: how many keys and secrets were previously unwrapped. */
export type Rewrapped = {
  readonly wrapped_by: string
  readonly before: string | null
  readonly wrapped: number
}

/**
 * Stores what must not be in the log: a key per person, found by a keyed digest of their
 * identifier, and the secrets of the installation. Deleting a person's key erases the person from
 * the log. All nodes share one vault: after `caughtUp` a node sees all acknowledged writes, in
 * particular erasures. Calls fail with StoreUnavailable while the vault is unavailable.
 */
export type Vault = People & {
  /** Identifies the vault and reveals nothing of its contents. */
  readonly name: string
  /** The newest change; undefined if the vault is in the log's database. */
  mark(): VaultMark | undefined
  /** Whether it has had this change. */
  hasMark(mark: VaultMark): boolean
  /** Id of the wrapping key. */
  wrappedBy(): string | undefined
  /** Wraps the vault with another key while nodes that have both keys are running. */
  rewrap(target: VaultKey): Promise<Rewrapped>
  /** A random secret of the installation, created on first use; the same on all nodes. */
  secret(name: string): Buffer
  /** Stores a secret under a new name; an existing one is kept. */
  addSecret(name: string, value: Buffer): Promise<void>
  /** Secrets by prefix of their names, ordered by name. */
  secrets(prefix: string): readonly { readonly name: string; readonly secret: Buffer }[]
  /** Writes all pending people first. */
  close(): Promise<void>
}
