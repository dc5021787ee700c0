import type { Recorded } from '../../domain/events.ts'
import { historyOf } from '../history.ts'
import type { ExplainNeeds } from './needs.ts'
import { currencyOf, eventInWords } from './event-words.ts'
import type { Entry, Told } from './story.ts'
import { whoCaused, whyCaused } from './who-caused.ts'
import { callbackNameOf, displayMessageId, isDisplayed } from '../../domain/callback-names.ts'
import { callbacks } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'
import type { EventStore } from '../event-store.ts'

type Store = Pick<EventStore, 'readStream'>

const attempts = async (store: Store, message: string): Promise<Told[]> => {
  const told: Told[] = []
  for await (const events of historyOf(store, streamOf(callbacks, message)))
    for (const event of events) told.push({ at: event.metadata.at, says: eventInWords(event, '') })
  return told
}

/** Who was told of an event, when, and what they answered. */
const toldOf = async (store: Store, { id, type, metadata }: Recorded): Promise<readonly Told[]> => {
  const name = callbackNameOf(type, metadata.schema)
  const told = name === undefined ? [] : await attempts(store, id)
  const displayed = isDisplayed(type) ? await attempts(store, displayMessageId(id)) : []
  if (name !== undefined && told.length === 0)
    return [{ at: null, says: `${name}: sent to nobody so far` }, ...displayed]
  return [...told, ...displayed]
}

/** Entries of a story at most; the rest is counted. */
export const mostEntries = 200

type More = Partial<Pick<Entry, 'numbers' | 'counted' | 'told'>> & { readonly currency?: string }

/** An event as an entry of a story; who was told is looked up. */
export const entryOf = async (
  { store, openAddress }: Pick<ExplainNeeds, 'store' | 'openAddress'>,
  event: Recorded,
  { currency, numbers = [], counted = [], told }: More = {},
): Promise<Entry> => {
  const { position, stream, revision, id, type, metadata } = event
  return {
    ...{ position, stream, revision, id, type, at: metadata.at },
    who: whoCaused(event, openAddress),
    why: whyCaused(event),
    says: eventInWords(event, currency ?? (await currencyOf(store, event))),
    told: told ?? (await toldOf(store, event)),
    ...{ numbers, counted },
  }
}

/** The event of a stream at a position of the log. */
export const eventAt = async (
  { store }: Pick<ExplainNeeds, 'store'>,
  { stream, position }: { readonly stream: string; readonly position: number },
): Promise<Recorded | undefined> => {
  for await (const events of historyOf(store, stream)) {
    const found = events.find((event) => event.position === position)
    if (found) return found
  }
  return undefined
}
