import type { NewEvent } from '../../application/event-store.ts'
import {
  peopleAtOnce,
  type KeptPerson,
  type VaultContents,
  seedName,
  vaultNameOf,
} from '../people/vault-port.ts'
import type { VaultKey } from '../people/vault-wrapping.ts'
import type { Streams } from './journal.ts'
import { forgetLeaving, openParts, vaultInStreamsLabel } from './vault.ts'

/** Maximum events per append; the node accepts a megabyte. */
const mostEvents = 500

const inBase64 = (digest: Buffer): string => digest.toString('base64')

type Parts = Awaited<ReturnType<typeof openParts>>

const writerOf = ({ pages, known, journal, events }: Parts) => {
  const append = async (all: readonly NewEvent[]): Promise<void> => {
    for (let at = 0; at < all.length; at += mostEvents)
      await journal.append(() => all.slice(at, at + mostEvents))
  }

  const erase = async (people: readonly string[]): Promise<void> => {
    const there = people.filter((id) => known.keyOf(id))
    await append(there.map(events.erased))
    for (const id of there) await forgetLeaving(pages, known, id)
  }

  const eventsOf = ({ id, key, identifier, names }: KeptPerson): readonly NewEvent[] => [
    identifier
      ? events.renamed(id, key, inBase64(identifier))
      : // Names go with it.
        events.released(id),
    ...names.map((name) => events.named(id, key, inBase64(name))),
  ]

  const add = async (people: readonly KeptPerson[]): Promise<void> => {
    if (people.length === 0) return
    const keys = people.map(({ id, key }) => [id, events.keyOf(id, key)] as const)
    const page = await pages.keep(Object.fromEntries(keys))
    const added = people.map(({ id, key, identifier }) =>
      // An empty digest finds nobody.
      events.added(id, page, key, inBase64(identifier ?? Buffer.alloc(0))),
    )
    await append(added)
  }

  const put = async (people: readonly KeptPerson[]): Promise<void> => {
    const hasOtherKey = ({ id, key }: KeptPerson): boolean => known.keyOf(id)?.equals(key) === false
    await erase(people.filter(hasOtherKey).map(({ id }) => id))
    const fresh = people.filter(({ id }) => !known.keyOf(id))
    const old = people.filter(({ id }) => known.keyOf(id))
    await add(fresh)
    const rest = fresh.filter(({ identifier, names }) => !identifier || names.length > 0)
    await append(old.flatMap(eventsOf))
    await append(
      rest.flatMap((person) => eventsOf(person).slice(person.identifier === undefined ? 0 : 1)),
    )
  }

  return { append, erase, put }
}

/**
 * The complete contents of a vault in streams, which is created if missing. Always read from the
 * database, whatever a node has cached.
 */
export const contentsOfStreams = async (
  streams: Streams,
  keys: readonly VaultKey[],
): Promise<VaultContents> => {
  const parts = await openParts(streams, keys)
  const { known, journal, events, master, secret, seed } = parts
  const { append, erase, put } = writerOf(parts)
  /** Derived secrets are derived from the same seed in the target. */
  const secrets = () => {
    const derived = [
      ['identifiers', secret('identifiers')],
      [seedName, seed()],
    ] as const
    const kept = known.secrets().map(({ name, secret }) => [name, secret] as const)
    return [...new Map([...derived, ...kept])].map(([name, value]) => ({ name, secret: value }))
  }

  return {
    label: vaultInStreamsLabel,
    name: () => vaultNameOf(secret('identifiers')),
    isEmpty: () => known.secrets().length === 0 && known.count() === 0,
    standing: known.standing,
    stand: (standing) => append([events.stands(standing)]),
    secrets,
    keepSecrets: (list) =>
      append(list.map(({ name, secret: value }) => events.secretKept(name, value))),
    count: known.count,
    *people() {
      for (let after = ''; ;) {
        const ids = known.peopleAfter(after, peopleAtOnce)
        if (ids.length === 0) return
        yield ids.flatMap((id) => known.person(id) ?? [])
        after = ids.at(-1) ?? after
      }
    },
    person: known.person,
    put,
    erase,
    discard: () => master.forget(journal.revision() + 1).then(known.close),
    close: () => journal.idle().then(known.close),
  }
}
