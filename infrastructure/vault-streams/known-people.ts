import type { RecordedEvent } from '../../application/event-store.ts'
import { sealingWith } from '../people/remembered-sealing.ts'
import { unwrap, wrap } from '../people/vault-keys.ts'
import type { KeptPerson } from '../people/vault-contents.ts'
import type { Standing } from '../people/vault-standing.ts'
import { aboutPerson, aboutSecret, VaultLocked } from '../people/vault-wrapping.ts'
import type { KeyPages } from './key-pages.ts'
import { vaultEvent } from './names.ts'

type Person = { readonly key: Buffer; readonly page: string; identifier?: string; names: string[] }

/** Digests are kept and compared as base64. */
type Data = Partial<
  Readonly<Record<'person' | 'page' | 'identifier' | 'name' | 'secret' | 'keyId', string>>
> & { readonly standing?: Standing }

const inBytes = (digest: string): Buffer => Buffer.from(digest, 'base64')

const aboutDigest = (person: string): string => `digest of ${person}`

/** Events of the journal. What tells who somebody is can be read with their key only. */
export const journalEvents = (wrapping: Buffer) => {
  const sealed = (key: Buffer, person: string, digest: string): string =>
    wrap(key, Buffer.from(digest, 'base64'), aboutDigest(person)).toString('base64')
  return {
    added: (person: string, page: string, key: Buffer, identifier: string) =>
      vaultEvent('PersonAdded', { person, page, identifier: sealed(key, person, identifier) }),
    named: (person: string, key: Buffer, name: string) =>
      vaultEvent('PersonNamed', { person, name: sealed(key, person, name) }),
    renamed: (person: string, key: Buffer, identifier: string) =>
      vaultEvent('PersonRenamed', { person, identifier: sealed(key, person, identifier) }),
    released: (person: string) => vaultEvent('PersonReleased', { person }),
    erased: (person: string) => vaultEvent('PersonErased', { person }),
    secretKept: (name: string, value: Buffer) => {
      const secret = wrap(wrapping, value, aboutSecret(name)).toString('base64')
      return vaultEvent('SecretKept', { name, secret })
    },
    wrapped: (keyId: string) => vaultEvent('VaultWrapped', { keyId }),
    stands: (standing: Standing) => vaultEvent('VaultStands', { standing }),
    /** As it lies in a page. */
    keyOf: (person: string, key: Buffer): string =>
      wrap(wrapping, key, aboutPerson(person)).toString('base64'),
  }
}

/**
 * What a node knows of all people and secrets: the journal, folded.
 * Long because what each event changes stands here.
 */
export const knownPeople = (
  pages: Pick<KeyPages, 'keysIn' | 'leave'>,
  wrapping: Buffer,
  keyId: string,
) => {
  const people = new Map<string, Person>()
  const ids = new Map<string, string>()
  const named = new Map<string, string>()
  const secrets = new Map<string, Buffer>()
  /** Pages of those who were erased. */
  const erased = new Map<string, string>()
  let wrappedBy = keyId
  let standing: Standing = 'used'
  const keyOf = (id: string): Buffer | undefined => people.get(id)?.key
  const sealing = sealingWith(keyOf)

  const revealed = (key: Buffer, text: string, about: string): Buffer => {
    const plain = unwrap(key, Buffer.from(text, 'base64'), about)
    if (!plain) throw new VaultLocked('an entry of the vault was altered: restore the vault')
    return plain
  }
  const digestIn = ({ key }: Person, person: string, text: string): string =>
    revealed(key, text, aboutDigest(person)).toString('base64')

  const call = (person: Person, id: string, identifier: string): void => {
    person.identifier = identifier
    ids.set(identifier, id)
  }

  /** Nobody finds them by identifier or name any more. */
  const release = (person: Person, id: string): void => {
    if (person.identifier !== undefined && ids.get(person.identifier) === id)
      ids.delete(person.identifier)
    delete person.identifier
    for (const name of person.names) if (named.get(name) === id) named.delete(name)
    person.names = []
  }

  const add = (id: string, { page = '', identifier = '' }: Data, stored: string): void => {
    const key = revealed(wrapping, stored, aboutPerson(id))
    const person: Person = { key, page, names: [] }
    people.set(id, person)
    erased.delete(id)
    call(person, id, digestIn(person, id, identifier))
  }

  const change = (type: string, id: string, person: Person, data: Data): void => {
    if (type === 'PersonNamed') {
      const name = digestIn(person, id, data.name ?? '')
      person.names.push(name)
      named.set(name, id)
    }
    if (type === 'PersonRenamed') {
      release(person, id)
      call(person, id, digestIn(person, id, data.identifier ?? ''))
    }
    if (type === 'PersonReleased') release(person, id)
    if (type === 'PersonErased') {
      release(person, id)
      people.delete(id)
      erased.set(id, person.page)
      pages.leave(person.page)
      sealing.forget()
    }
  }

  const keep = ({ name = '', secret = '' }: Data): void => {
    if (!secrets.has(name)) secrets.set(name, revealed(wrapping, secret, aboutSecret(name)))
  }

  return {
    /** Takes all events or none. */
    apply: async (events: readonly RecordedEvent[]): Promise<void> => {
      const wanted = new Set(events.flatMap(({ data }) => (data as Data).page ?? []))
      const keys = new Map(
        await Promise.all(
          [...wanted].map(async (page) => [page, await pages.keysIn(page)] as const),
        ),
      )
      for (const { type, data: read } of events) {
        const data = read as Data
        const { person: id = '', page = '' } = data
        // Whose key is gone was erased, as a later event tells.
        const stored = keys.get(page)?.[id]
        if (type === 'PersonAdded' && stored !== undefined) add(id, data, stored)
        const person = people.get(id)
        if (person) change(type, id, person, data)
        if (type === 'SecretKept') keep(data)
        if (type === 'VaultWrapped') wrappedBy = data.keyId ?? wrappedBy
        if (type === 'VaultStands') standing = data.standing ?? standing
      }
    },
    wrappedBy: (): string => wrappedBy,
    standing: (): Standing => standing,
    count: (): number => people.size,
    people: (): readonly string[] => [...people.keys()],
    person: (id: string): KeptPerson | undefined => {
      const person = people.get(id)
      if (!person) return undefined
      const names = new Set(person.names.filter((name) => named.get(name) === id))
      const { identifier } = person
      return {
        ...{ id, key: person.key, names: [...names].sort().map(inBytes) },
        identifier: identifier === undefined ? undefined : inBytes(identifier),
      }
    },
    keyOf,
    ...{ seal: sealing.seal, unseal: sealing.unseal },
    pageOf: (id: string): string | undefined => people.get(id)?.page ?? erased.get(id),
    erased: (): readonly string[] => [...erased.keys()],
    idOf: (identifier: string): string | undefined => ids.get(identifier),
    named: (name: string): string | undefined => named.get(name),
    secrets,
  }
}

export type KnownPeople = ReturnType<typeof knownPeople>
