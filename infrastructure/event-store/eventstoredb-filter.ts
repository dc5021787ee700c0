import { streamNameFilter, type ResolvedEvent } from '@eventstore/db-client'
import type { RecordedEvent } from '../../application/event-store.ts'
import { categoryOf } from '../../domain/stream.ts'

/** Number of foreign events after which the server filters out their category. */
const enough = 100
/** Maximum number of filtered categories, because the pattern is matched against each event. */
const mostCategories = 50

const passable = /^[\w.]{1,64}$/

/**
 * What the server need not send: system events, and those of other applications once their stream
 * category is known. Filtering by this version's own stream prefixes would be wrong: a newer
 * version writing concurrently has others, and its events count too.
 */
export const makeFilter = (isOurs: (event: RecordedEvent) => boolean) => {
  const counts = new Map<string, number>()
  const ours = new Set<string>()
  const passedOver = new Set<string>()

  const isOursByName = (stream: string): boolean => {
    const nameless = { id: '', type: '', revision: 0, position: 0, data: {}, metadata: {} }
    return isOurs({ ...nameless, stream })
  }

  const countForeign = (category: string, stream: string): void => {
    if (passedOver.size >= mostCategories || !passable.test(category)) return
    const count = (counts.get(category) ?? 0) + 1
    counts.set(category, count)
    if (count < enough || isOursByName(stream)) return
    counts.delete(category)
    passedOver.add(category)
  }

  return {
    /** Learns from a received event. */
    note: ({ event }: ResolvedEvent, isOwn: boolean): void => {
      if (!event || event.streamId.startsWith('$')) return
      const category = categoryOf(event.streamId)
      if (isOwn) ours.add(category)
      else if (!ours.has(category)) countForeign(category, event.streamId)
    },
    /** Increases when more is filtered out. */
    version: (): number => passedOver.size,
    /** `checkpointReached` receives the position up to which the server has scanned. */
    forServer: (checkpointReached: (position: bigint) => void) => {
      const names = [...passedOver].map((category) => category.replaceAll('.', '\\.'))
      const others = names.length > 0 ? `|(?:${names.join('|')})(?:-|$)` : ''
      return streamNameFilter({
        regex: `^(?!\\$${others})`,
        checkpointReached: async (_, { commit }) => checkpointReached(commit),
      })
    },
  }
}

export type Filter = ReturnType<typeof makeFilter>
