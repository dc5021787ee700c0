import { createHmac } from 'node:crypto'
import {
  noStream,
  StoreUnavailable,
  WrongExpectedRevision,
  type Revision,
} from '../../application/event-store.ts'
import { generationalCache } from '../../application/generational-cache.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { afterFailure, checkLockout, unlocked, type Lockout } from '../../domain/people/lockout.ts'
import type { StrangerLockouts } from '../people/stranger-lockouts.ts'
import { strangerStream, vaultEvent, type Streams } from './journal.ts'

/** Streams that share the numbers, so that strangers cannot make new ones. */
const streamCount = 1_024

/** Failures that the database keeps of each. */
const keptPerStream = 100

const mostTries = 100

type Failed = Lockout & { readonly name: string }

/** The failures of one stream, by name, as far as they are read. */
type Known = { readonly revision: Revision; readonly of: ReadonlyMap<string, Lockout> }

const nothing: Known = { revision: noStream, of: new Map() }

/**
 * Lockouts of unknown phone numbers, shared by all nodes of an EventStoreDB. Checks and failures
 * read and append as those of payers do, so that they take as long; names are keyed digests.
 * Long because all share what is known of the streams.
 */
export const strangersInStreams = (streams: Streams, key: string): StrangerLockouts => {
  const known = new Map<string, Known>()
  const limited = new Set<string>()
  /** Names that this node has looked up, like payers whose states it knows. */
  const lookedUp = generationalCache<string, true>(10_000)

  const placeOf = (identifier: string) => {
    const digest = createHmac('sha256', key).update(identifier).digest()
    const stream = strangerStream(digest.readUInt16BE() % streamCount)
    return { name: digest.toString('base64'), stream }
  }

  const apply = ({ of }: Known, revision: Revision, news: readonly Failed[]): Known => {
    const all = [...of, ...news.map((one): [string, Lockout] => [one.name, one])]
    return { revision, of: new Map(all.slice(-keptPerStream)) }
  }

  const read = async (stream: string): Promise<Known> => {
    for (;;) {
      const before = known.get(stream) ?? nothing
      const events = await streams.readStream(stream, before.revision + 1, keptPerStream)
      const news = events.map(({ data }) => data as Failed)
      const after = apply(before, events.at(-1)?.revision ?? before.revision, news)
      known.set(stream, after)
      if (events.length < keptPerStream) return after
    }
  }

  const cached = async ({ name, stream }: ReturnType<typeof placeOf>): Promise<Known> => {
    const found = lookedUp.get(name) ? known.get(stream) : undefined
    lookedUp.set(name, true)
    return found ?? read(stream)
  }

  /** In the background: what a payer's failure appends needs no limit either. */
  const limit = (stream: string): void => {
    if (limited.has(stream)) return
    limited.add(stream)
    streams.keepNewest(stream, keptPerStream).catch(() => limited.delete(stream))
  }

  return {
    check: async (identifier, at) => {
      const place = placeOf(identifier)
      try {
        checkLockout((await cached(place)).of.get(place.name) ?? unlocked, at)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        // As for payers, what is refused is looked up again.
        checkLockout((await read(place.stream)).of.get(place.name) ?? unlocked, at)
      }
    },
    fail: async (identifier: string, at: Instant) => {
      const place = placeOf(identifier)
      const { name, stream } = place
      limit(stream)
      let found = await cached(place)
      for (let tries = 0; tries < mostTries; tries += 1) {
        const before = found.of.get(name) ?? unlocked
        checkLockout(before, at)
        const failed = { name, ...afterFailure(before, at) }
        try {
          const event = vaultEvent('StrangerFailed', failed)
          const { revision } = await streams.append(stream, [event], found.revision)
          if (known.get(stream) === found) known.set(stream, apply(found, revision, [failed]))
          return
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) throw error
          found = await read(stream)
        }
      }
      throw new StoreUnavailable(`too many concurrent appends to ${stream}`)
    },
    close: () => {},
  }
}
