import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  type Revision,
  type JsonObject,
} from '../../application/event-store.ts'
import { makeQueue } from '../../application/serial-by-key.ts'
import { sharedRequest } from '../event-store/shared-request.ts'
import type { OtherStreams } from '../event-store/eventstoredb-writer.ts'
import { wrap, aboutPerson, aboutSecret } from '../people/vault-wrapping.ts'
import type { Standing } from '../people/vault-port.ts'
import { randomUUID } from '../../application/machine.ts'

export type Streams = OtherStreams

/** One category, so that the server can filter all of it out for followers of the log. */
export const prefix = 'daybook_vault-'

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
  id: randomUUID(),
  type,
  data,
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
    keyOf: (person: string, key: Buffer): string =>
      wrap(wrapping, key, aboutPerson(person)).toString('base64'),
  }
}

/** Events per read. */
const pageSize = 1_000

/** Maximum number of conflicts with other writers. */
const mostTries = 100

/**
 * A stream that several nodes append to. A node that was not up to date decides again. `apply`
 * takes all of the given events, or throws.
 */
export const followJournal = (
  streams: Pick<Streams, 'append' | 'readStream'>,
  stream: string,
  apply: (events: readonly RecordedEvent[]) => Promise<void> | void,
  since: Revision = 0,
) => {
  let revision = since === 0 ? noStream : since - 1
  const inTurn = makeQueue()

  const caughtUp = sharedRequest(async (): Promise<void> => {
    for (;;) {
      const news = await streams.readStream(stream, revision + 1, pageSize)
      if (news.length > 0) await apply(news)
      revision = news.at(-1)?.revision ?? revision
      if (news.length < pageSize) return
    }
  })

  const tryOnce = async (decide: () => Decision): Promise<'done' | 'too late'> => {
    const expected = revision
    const events = await decide()
    if (events.length === 0) return 'done'
    try {
      await streams.append(stream, events, expected)
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
      await caughtUp()
      // Events that the database has dropped are not read, but they count.
      if (revision < error.actual) revision = error.actual
      return 'too late'
    }
    await caughtUp()
    return 'done'
  }

  return {
    /** Resolves once everything appended before the call is known. */
    caughtUp,
    /** Appends what is decided on everything appended before; it is known here afterwards. */
    append: (decide: () => Decision): Promise<void> =>
      inTurn(async () => {
        for (let tries = 0; tries < mostTries; tries++)
          if ((await tryOnce(decide)) === 'done') return
        throw new StoreUnavailable(`too many concurrent appends to ${stream}`)
      }),
    /** Revision of the newest known event. */
    revision: (): Revision => revision,
    /** Resolves when no append is in progress. */
    idle: (): Promise<void> => inTurn(async () => {}),
  }
}

type Decision = Promise<readonly NewEvent[]> | readonly NewEvent[]
