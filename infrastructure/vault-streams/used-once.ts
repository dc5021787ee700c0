import { createHash } from 'node:crypto'
import type { RecordedEvent } from '../../application/event-store.ts'
import type { Instant } from '../../domain/time.ts'
import type { Use, UsedOnce } from '../people/used-once.ts'
import { followJournal, usedStream, vaultEvent, type Streams } from './journal.ts'

/** Retention in the database, in seconds; longer than any use is valid. */
const keptFor = 86_400

/** How often expired uses are dropped from memory, in ms. */
const cleaningEvery = 60_000

const usesAtOnce = 1_000

const foldedUses = () => {
  const uses = new Map<string, Use>()
  let cleanedAt = -Infinity
  return {
    uses,
    apply: (events: readonly RecordedEvent[]): void => {
      for (const { data } of events) {
        const use = data as Use
        const { at = use.at, until = use.until } = uses.get(use.name) ?? {}
        const [latest, last] = [Math.max(at, use.at), Math.max(until, use.until)]
        uses.set(use.name, { name: use.name, at: latest, until: last })
      }
    },
    clean: (now: Instant): void => {
      if (now < cleanedAt + cleaningEvery) return
      for (const [name, { until }] of uses) if (until < now) uses.delete(name)
      cleanedAt = now
    },
  }
}

/** One-time uses across all nodes, as digests, in a stream of EventStoreDB. */
export const usedInStream = (streams: Streams, key: string): UsedOnce => {
  const { uses, apply, clean } = foldedUses()
  let limited: Promise<void> | undefined
  const journal = followJournal(streams, usedStream, apply)
  const nameOf = (name: string): string =>
    createHash('sha256').update(`${key} ${name}`).digest('base64')

  /** Set the limit first, so that no use is retained forever. */
  const limit = (): Promise<void> => {
    limited ??= streams.keepFor(usedStream, keptFor)
    limited.catch(() => (limited = undefined))
    return limited
  }

  return {
    isFirst: async (name, at, until) => {
      const use = { name: nameOf(name), at, until }
      let isFirst = false
      await limit()
      await journal.append(() => {
        isFirst = !uses.has(use.name)
        return isFirst ? [vaultEvent('Used', use)] : []
      })
      clean(at)
      return isFirst
    },
    note: async (name, at, until) => {
      await limit()
      await journal.append(() => [vaultEvent('Used', { name: nameOf(name), at, until })])
    },
    latest: async (name) => {
      await journal.caughtUp()
      return uses.get(nameOf(name))?.at
    },
    all: async () => {
      await journal.caughtUp()
      return [...uses.values()]
    },
    keep: async (list) => {
      await limit()
      for (let at = 0; at < list.length; at += usesAtOnce) {
        const some = list.slice(at, at + usesAtOnce)
        await journal.append(() => some.map((use) => vaultEvent('Used', use)))
      }
    },
    close: () => {},
  }
}
