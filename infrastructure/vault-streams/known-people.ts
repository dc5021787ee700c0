import type { RecordedEvent, Revision } from '../../application/event-store.ts'
import { cached, generationalCache } from '../../application/generational-cache.ts'
import { peopleRemembered, sealingWith } from '../people/sealing.ts'
import { unwrap } from '../people/vault-keys.ts'
import type { KeptPerson, KeptSecret } from '../people/vault-contents.ts'
import type { Standing } from '../people/vault-standing.ts'
import { aboutPerson, aboutSecret, VaultLocked } from '../people/vault-wrapping.ts'
import { aboutDigest, type Data } from './names.ts'
import type { KeyPages } from './key-pages.ts'
import { openKnownFile, type Statements } from './known-file.ts'

/** Digests are passed and compared as base64. */
const inBytes = (text: string): Buffer => Buffer.from(text, 'base64')

const revealed = (key: Buffer, wrapped: Buffer, about: string): Buffer => {
  const plain = unwrap(key, wrapped, about)
  if (!plain) throw new VaultLocked('an entry of the vault was altered: restore the vault')
  return plain
}

/** Folds events into the file. `stored`: wrapped keys by page and person. */
const foldInto = (
  use: Statements,
  wrapping: Buffer,
  stored: ReadonlyMap<string, Readonly<Record<string, string>>>,
) => {
  const keys = new Map<string, Buffer>()

  const digestIn = (id: string, wrappedKey: Buffer, text: string): Buffer => {
    const key = keys.get(id) ?? revealed(wrapping, wrappedKey, aboutPerson(id))
    keys.set(id, key)
    return revealed(key, inBytes(text), aboutDigest(id))
  }

  /** Assigns an identifier to a person, and removes it from its previous holder. */
  const call = (id: string, identifier: Buffer): void => {
    use.takeFrom.run(identifier)
    // An empty digest finds nobody.
    use.call.run(identifier.length === 0 ? null : identifier, id)
  }

  /** Removes the person's identifier and names. */
  const release = (id: string): void => {
    use.call.run(null, id)
    use.unname.run(id)
  }

  const change = (type: string, id: string, data: Data): void => {
    const { page: from = '', identifier = '', name = '' } = data
    // A missing key means that the person was erased, as a later event records.
    const given = type === 'PersonAdded' ? stored.get(from)?.[id] : undefined
    if (given !== undefined) {
      keys.delete(id)
      use.add.run(id, from, inBytes(given))
    }
    const { key, page } = use.person.get(id) ?? {}
    if (!key || page === undefined) return
    if (type === 'PersonRenamed' || type === 'PersonReleased') release(id)
    if (type === 'PersonRenamed' || given !== undefined) call(id, digestIn(id, key, identifier))
    if (type === 'PersonNamed') use.name.run(digestIn(id, key, name), id)
    if (type === 'PersonErased') {
      release(id)
      use.remove.run(id)
      use.leave.run(id, page)
      keys.delete(id)
    }
  }

  return ({ type, data: read }: RecordedEvent): void => {
    const data = read as Data
    const { person, name = '', secret = '', keyId, standing } = data
    if (person !== undefined) change(type, person, data)
    if (type === 'SecretKept') {
      revealed(wrapping, inBytes(secret), aboutSecret(name))
      use.keepSecret.run(name, inBytes(secret))
    }
    if (type === 'VaultWrapped' && keyId !== undefined) use.wrapBy.run(keyId)
    if (type === 'VaultStands' && standing) use.stand.run(standing)
  }
}

/**
 * A node's knowledge of all people and secrets: the journal, folded into a file. Only some keys are
 * in memory.
 * Long because it is the list of what is asked of it.
 */
export const knownPeople = (
  pages: Pick<KeyPages, 'keysIn' | 'leave'>,
  { wrapping, keyId }: { readonly wrapping: Buffer; readonly keyId: string },
  file = '',
  remembered = peopleRemembered,
) => {
  const { guarded, write, beginAnew, close } = openKnownFile(file)
  const keys = generationalCache<string, Buffer>(remembered)
  const journal = () => guarded((use) => use.journal.get())

  const keyOf = (id: string): Buffer | undefined =>
    cached(keys, id, () => {
      const stored = guarded((use) => use.person.get(id)?.key)
      return stored && revealed(wrapping, stored, aboutPerson(id))
    })
  const sealing = sealingWith(keyOf)
  const secretIn = (name: string, secret: Buffer): Buffer =>
    revealed(wrapping, secret, aboutSecret(name))

  const forget = (erased: ReadonlyMap<string, readonly string[]>): void => {
    for (const [id, from] of erased) {
      keys.delete(id)
      for (const page of from) pages.leave(page)
    }
    if (erased.size > 0) sealing.forget()
  }

  return {
    /**
     * Applies all events or none. Another process of the directory may have applied some before.
     */
    apply: async (events: readonly RecordedEvent[]): Promise<void> => {
      const wanted = new Set(events.flatMap(({ data }) => (data as Data).page ?? []))
      const stored = new Map(
        await Promise.all(
          [...wanted].map(async (page) => [page, await pages.keysIn(page)] as const),
        ),
      )
      const erased = new Map<string, readonly string[]>()
      write((use) => {
        const fold = foldInto(use, wrapping, stored)
        const known = use.journal.get()?.revision ?? -1
        for (const event of events) {
          if (event.revision > known) fold(event)
          const { person } = event.data as Data
          if (event.type === 'PersonErased' && person !== undefined)
            erased.set(person, use.pagesOf.all(person))
        }
        const last = events.at(-1)
        if (last && last.revision > known) use.advance.run(last.revision, last.id)
        return { erases: erased.size > 0 }
      })
      forget(erased)
    },
    /** The last known event of the journal. */
    mark: (): { readonly revision: Revision; readonly event: string } | undefined => {
      const { revision = null, event = null } = journal() ?? {}
      return revision === null || event === null ? undefined : { revision, event }
    },
    beginAnew,
    wrappedBy: (): string => journal()?.wrapped_by ?? keyId,
    standing: (): Standing => journal()?.standing ?? 'used',
    count: (): number => guarded((use) => use.count.get() ?? 0),
    /** Ids in order. */
    peopleAfter: (id: string, most: number): readonly string[] =>
      guarded((use) => use.after.all(id, most)),
    person: (id: string): KeptPerson | undefined => {
      const key = keyOf(id)
      return guarded(({ person, namesOf }) => {
        const { identifier } = person.get(id) ?? {}
        const names = namesOf.all(id).map((name) => name.toString('base64'))
        return (
          key && { id, key, identifier: identifier ?? undefined, names: names.sort().map(inBytes) }
        )
      })
    },
    keyOf,
    ...{ seal: sealing.seal, unseal: sealing.unseal },
    pageOf: (id: string): string | undefined => guarded((use) => use.person.get(id)?.page),
    /** Keys of erased people, of one or all, that may still be in their pages. */
    leaving: (id?: string) =>
      guarded(({ leaving, pagesOf }) =>
        id === undefined ? leaving.all() : pagesOf.all(id).map((page) => ({ id, page })),
      ),
    left: (id: string, page: string): void => guarded((use) => void use.left.run(id, page)),
    idOf: (identifier: string): string | undefined =>
      guarded((use) => use.idOf.get(inBytes(identifier))),
    named: (name: string): string | undefined => guarded((use) => use.named.get(inBytes(name))),
    secret: (name: string): Buffer | undefined => {
      const secret = guarded((use) => use.secret.get(name))
      return secret && secretIn(name, secret)
    },
    secrets: (): readonly KeptSecret[] =>
      guarded((use) => use.secrets.all()).map(({ name, secret }) => ({
        ...{ name, secret: secretIn(name, secret) },
      })),
    close,
  }
}

export type KnownPeople = ReturnType<typeof knownPeople>
