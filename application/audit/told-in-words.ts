import { callbackNameOf, displayMessageId, isDisplayed } from '../../domain/callback-names.ts'
import { callbacks } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import type { EventStore } from '../event-store.ts'
import { historyOf } from '../history.ts'
import { eventInWords } from './event-words.ts'
import type { Told } from './story.ts'

type Store = Pick<EventStore, 'readStream'>

const attempts = async (store: Store, message: string): Promise<Told[]> => {
  const told: Told[] = []
  for await (const events of historyOf(store, streamOf(callbacks, message)))
    for (const event of events) told.push({ at: event.metadata.at, says: eventInWords(event, '') })
  return told
}

/** Who was told of an event, when, and what they answered. */
export const toldOf = async (
  store: Store,
  { id, type, metadata }: Recorded,
): Promise<readonly Told[]> => {
  const name = callbackNameOf(type, metadata.schema)
  const told = name === undefined ? [] : await attempts(store, id)
  const displayed = isDisplayed(type) ? await attempts(store, displayMessageId(id)) : []
  if (name !== undefined && told.length === 0)
    return [{ at: null, says: `${name}: sent to nobody so far` }, ...displayed]
  return [...told, ...displayed]
}
