import type { Standing } from './vault-standing.ts'

/** A person as a vault keeps them. Nobody finds one without an identifier. */
export type KeptPerson = {
  readonly id: string
  readonly key: Buffer
  readonly identifier: Buffer | undefined
  /** In the order of their base64. */
  readonly names: readonly Buffer[]
}

export type KeptSecret = { readonly name: string; readonly secret: Buffer }

/** All that lies in a vault, wherever that is, for who moves it. */
export type VaultContents = {
  /** As the operator knows it. */
  readonly shown: string
  /** Undefined where that is not kept yet. */
  readonly name: () => string | undefined
  /** Whether nothing was ever kept in it. */
  readonly isEmpty: () => boolean
  readonly standing: () => Standing
  readonly stand: (standing: Standing) => Promise<void>
  readonly secrets: () => readonly KeptSecret[]
  readonly keepSecrets: (secrets: readonly KeptSecret[]) => Promise<void>
  readonly count: () => number
  readonly people: () => Iterable<readonly KeptPerson[]>
  readonly person: (id: string) => KeptPerson | undefined
  /** Keeps these people as they are given, whatever was known of them. */
  readonly put: (people: readonly KeptPerson[]) => Promise<void>
  readonly erase: (people: readonly string[]) => Promise<void>
  /** Throws all of it away; nothing else may be asked of it then. */
  readonly discard: () => Promise<void>
  readonly close: () => Promise<void>
}

/** People that are read or written at once. */
export const peopleAtOnce = 64

const isSame = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one && other ? one.equals(other) : one === other

/** Vaults fill in a missing identifier at random: then the two need not be equal. */
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

/** Secrets of the source that the target lacks, or holds with another value. */
export const secretsLacking = ({ source, target }: Both): readonly KeptSecret[] => {
  const kept = new Map(target.secrets().map(({ name, secret }) => [name, secret]))
  return source.secrets().filter(({ name, secret }) => !isSame(kept.get(name), secret))
}

/** By batches: people whom the target lacks or holds differently, and people it alone has. */
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
