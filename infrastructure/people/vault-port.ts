import type { People } from '../../application/people.ts'
import type { VaultKey } from './vault-keys.ts'

/** `wrapped`: how many keys and secrets lay in clear before. */
export type Rewrapped = {
  readonly wrapped_by: string
  readonly before: string | null
  readonly wrapped: number
}

/**
 * Keeps what must not be in the log: a key per person, found by a keyed digest of their identifier,
 * and the secrets of the installation. Deleting a person's key erases the person from the log. All
 * nodes share one vault: what one was told has been written is seen by another once it has waited
 * for `caughtUp`, erasures above all. Calls fail with StoreUnavailable while the vault cannot be
 * used.
 */
export type Vault = People & {
  /** Identifies the vault and reveals nothing of its contents. */
  readonly name: string
  /** The id of the key that the vault is wrapped by. */
  wrappedBy(): string | undefined
  /** Wraps the vault by another key, beside running nodes that were given it too. */
  rewrap(target: VaultKey): Promise<Rewrapped>
  /** A random secret of the installation, created on first use: the same on all nodes. */
  secret(name: string): Buffer
  /** Keeps a secret under a new name; one that is there already stays. */
  addSecret(name: string, value: Buffer): Promise<void>
  /** Secrets by prefix of their names, ordered by name. */
  secrets(prefix: string): readonly { readonly name: string; readonly secret: Buffer }[]
  /** Writes all waiting people first. */
  close(): Promise<void>
}
