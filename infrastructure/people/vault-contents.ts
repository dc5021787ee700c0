import type { Standing } from './vault-standing.ts'

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
  readonly shown: string
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
