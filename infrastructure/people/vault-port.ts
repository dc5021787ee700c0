import { createHmac } from 'node:crypto'
import Database, { inFile } from '../sqlite.ts'
import { isWrapped, aboutSecret, type Wrapping, type VaultKey } from './vault-wrapping.ts'
import type { People } from '../../application/people.ts'
import type { VaultMark } from '../../domain/transparency/checkpoints.ts'
import { StoreUnavailable } from '../../application/event-store.ts'

export const digestOf = (identifiers: Buffer, text: string): Buffer =>
  createHmac('sha256', identifiers).update(text).digest()

/** Seed of the secrets of a vault that was once in streams, wherever it is now. */
export const seedName = 'seed'

export const derivedSecret = (seed: Buffer, name: string): Buffer =>
  digestOf(seed, aboutSecret(name))

/** Identifies a vault and reveals nothing of its contents. */
export const vaultNameOf = (identifiers: Buffer): string =>
  digestOf(identifiers, 'the name of this vault').toString('hex').slice(0, 32)

const wrappingOf = (sqlite: Database.Database): Wrapping | undefined => {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'wrapping'").get()
  return table === undefined
    ? undefined
    : (sqlite.prepare('SELECT key_id, vault FROM wrapping').get() as Wrapping)
}

/** Reads a vault's name without opening it for use; `name` is undefined for an empty vault. */
export const readVaultName = (file: string) =>
  inFile(file, () => {
    const sqlite = new Database(file, { readonly: true, fileMustExist: true })
    try {
      const rows = sqlite.pragma('integrity_check') as readonly { integrity_check: string }[]
      const damage = rows.map(({ integrity_check: text }) => text).filter((text) => text !== 'ok')
      const secret = sqlite.prepare("SELECT secret FROM secrets WHERE name = 'identifiers'")
      const identifiers = secret.pluck().get() as Buffer | undefined
      const wrapping = wrappingOf(sqlite)
      const name = identifiers && !isWrapped(identifiers) ? vaultNameOf(identifiers) : undefined
      return {
        name: wrapping?.vault ?? name,
        wrappedBy: wrapping?.key_id,
        people: Number(sqlite.prepare('SELECT count(*) FROM people').pluck().get()),
        damage: damage.map((text) => `the vault: ${text}`),
      }
    } finally {
      sqlite.close()
    }
  })

/**
 * The state of a vault during `daybook vault move`: in use, being copied, incomplete, or moved
 * elsewhere. A file stores the index.
 */
export const standings = ['used', 'moving', 'filling', 'left'] as const

export type Standing = (typeof standings)[number]

/** The log was sealed with the keys of another vault, or its vault is missing. */
export class WrongVault extends Error {
  override readonly name = 'WrongVault'
  constructor(
    vault: string,
    whatItIs = 'is not the vault that this log is sealed with',
    advice = 'put that one in its place, or name it with VAULT',
  ) {
    super(`${vault} ${whatItIs}: ${advice}`)
  }
}

const runAgain = 'run `daybook vault move` again'

/** @throws WrongVault unless the vault can be used */
export const refuseMoved = (standing: Standing, vault: string): void => {
  switch (standing) {
    case 'used':
      return
    case 'moving':
      throw new WrongVault(vault, 'was being moved', runAgain)
    case 'filling':
      throw new WrongVault(vault, 'does not hold all people yet', runAgain)
    case 'left':
      throw new WrongVault(vault, 'has been moved elsewhere', 'name that place with VAULT')
  }
}

/** @throws StoreUnavailable if the vault was moved while in use */
export const checkNotMoved = (standing: Standing): void => {
  if (standing !== 'used') throw new StoreUnavailable('the vault is moved elsewhere')
}

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
  wrappedBy(): string | undefined
  /** Wraps the vault with another key while nodes that have both keys are running. */
  rewrap(target: VaultKey): Promise<Rewrapped>
  /** A random secret of the installation, created on first use; the same on all nodes. */
  secret(name: string): Buffer
  /** Stores a secret under a new name; an existing one is kept. */
  addSecret(name: string, value: Buffer): Promise<void>
  /** Secrets by prefix of their names, ordered by name. */
  secrets(prefix: string): readonly { readonly name: string; readonly secret: Buffer }[]
  close(): Promise<void>
}

/** A person as stored in a vault. Without an identifier, they cannot be found. */
export type KeptPerson = {
  readonly id: string
  readonly key: Buffer
  readonly identifier: Buffer | undefined
  /** In base64 order. */
  readonly names: readonly Buffer[]
}

export type KeptSecret = { readonly name: string; readonly secret: Buffer }

/** The complete contents of a vault, for moving it. */
export type VaultContents = {
  /** As the operator knows it. */
  readonly label: string
  /** Undefined if it is not stored yet. */
  readonly name: () => string | undefined
  /** Whether nothing was ever stored in it. */
  readonly isEmpty: () => boolean
  readonly standing: () => Standing
  readonly stand: (standing: Standing) => Promise<void>
  readonly secrets: () => readonly KeptSecret[]
  readonly keepSecrets: (secrets: readonly KeptSecret[]) => Promise<void>
  readonly count: () => number
  readonly people: () => Iterable<readonly KeptPerson[]>
  readonly person: (id: string) => KeptPerson | undefined
  /** Stores these people as given, replacing what was there. */
  readonly put: (people: readonly KeptPerson[]) => Promise<void>
  readonly erase: (people: readonly string[]) => Promise<void>
  /** Deletes everything; the vault cannot be used after this. */
  readonly discard: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Batch size for reading and writing people. */
export const peopleAtOnce = 64

const isSame = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one && other ? one.equals(other) : one === other

/** Vaults fill in a missing identifier at random, so those may differ. */
const isSamePerson = (one: KeptPerson, other: KeptPerson | undefined): boolean =>
  other !== undefined &&
  one.key.equals(other.key) &&
  (one.identifier === undefined || isSame(one.identifier, other.identifier)) &&
  one.names.length === other.names.length &&
  one.names.every((name, index) => isSame(name, other.names[index]))

type Both = {
  readonly source: Pick<VaultContents, 'people' | 'person' | 'secrets'>
  readonly target: Pick<VaultContents, 'people' | 'person' | 'secrets'>
}

/** Secrets of the source that the target lacks or has with another value. */
export const secretsLacking = ({ source, target }: Both): readonly KeptSecret[] => {
  const kept = new Map(target.secrets().map(({ name, secret }) => [name, secret]))
  return source.secrets().filter(({ name, secret }) => !isSame(kept.get(name), secret))
}

/** In batches: people that the target lacks or has differently, and people only in the target. */
export function* differencesOf({ source, target }: Both) {
  for (const people of source.people()) {
    const lacking = people.filter((person) => !isSamePerson(person, target.person(person.id)))
    yield { seen: people.length, lacking, extra: [] }
  }
  for (const people of target.people()) {
    const extra = people.map(({ id }) => id).filter((id) => !source.person(id))
    yield { seen: 0, lacking: [], extra }
  }
}
