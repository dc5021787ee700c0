import type { JsonObject, NewEvent } from '../../application/event-store.ts'
import type { OtherStreams } from '../event-store/eventstoredb-streams.ts'
import { wrap } from '../people/vault-keys.ts'
import type { Standing } from '../people/vault-standing.ts'
import { aboutPerson, aboutSecret } from '../people/vault-wrapping.ts'
import { randomUUID } from '../../application/machine.ts'

export type Streams = OtherStreams

/** One category, so that the server can filter all of it out for followers of the log. */
const prefix = 'daybook_vault-'

/** The master key, wrapped with the operator's key. */
export const masterStream = `${prefix}master`

/** Changes of people, sealed with their keys, and the secrets. */
export const journalStream = `${prefix}journal`

/** One-time uses. */
export const usedStream = `${prefix}used`

/** Wrong sign-ins of phone numbers without an account. */
export const strangerStream = (number: number): string => `${prefix}strangers-${number}`

/** Keys of some people: the newest event contains all that remain. */
export const pageStream = (page: string): string => `${prefix}keys-${page}`

/** Without the log's metadata, so that nobody mistakes it for a ledger event. */
export const vaultEvent = (type: string, data: JsonObject): NewEvent => ({
  ...{ id: randomUUID(), type, data },
  metadata: {},
})

/** The possible data of an event of the journal. */
export type Data = Partial<
  Readonly<Record<'person' | 'page' | 'identifier' | 'name' | 'secret' | 'keyId', string>>
> & { readonly standing?: Standing }

export const aboutDigest = (person: string): string => `digest of ${person}`

/** Events of the journal. Identifying data is readable only with the person's key. */
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
    /** A key as stored in a page. */
    keyOf: (person: string, key: Buffer): string =>
      wrap(wrapping, key, aboutPerson(person)).toString('base64'),
  }
}
