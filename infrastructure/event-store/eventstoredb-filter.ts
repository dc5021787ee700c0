import { streamNameFilter, type ResolvedEvent } from '@eventstore/db-client'
import type { RecordedEvent } from '../../application/event-store.ts'
import { categoryOf } from '../../domain/stream.ts'

/** Events of others, after which the server passes over their category. */
const enough = 100
/** Categories that the server passes over: the pattern is tried on each event. */
const mostCategories = 50

const passable = /^[\w.]{1,64}$/

/**
 * What the server need not send: events of its own, and those of other applications once they are
 * known by the category of their streams. The prefixes of this version's streams would not do: a
 * newer version that writes beside it has others, and its events count too.
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
    /** Learns from an event that was sent. */
    note: ({ event }: ResolvedEvent, isOwn: boolean): void => {
      if (!event || event.streamId.startsWith('$')) return
      const category = categoryOf(event.streamId)
      if (isOwn) ours.add(category)
      else if (!ours.has(category)) countForeign(category, event.streamId)
    },
    /** Changes when more is passed over. */
    version: (): number => passedOver.size,
    /** `checkpointReached` is told how far the server has looked. */
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
