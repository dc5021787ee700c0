import type { Recorded } from '../../domain/events.ts'
import { historyOf } from '../../application/history.ts'
import type { ExplainNeeds } from './needs.ts'
import { currencyOf, eventInWords } from './event-words.ts'
import type { Entry, Told } from './story.ts'
import { whoCaused, whyCaused } from './who-caused.ts'
import { callbackNameOf, displayMessageId, isDisplayed } from '../../domain/callback-names.ts'
import { callbacks } from '../../domain/aggregates.ts'
import { streamOf } from '../../domain/stream.ts'

type Needs = Pick<ExplainNeeds, 'store' | 'openAddress' | 'texts'>

const attempts = async ({ store, texts }: Needs, message: string): Promise<Told[]> => {
  const told: Told[] = []
  for await (const events of historyOf(store, streamOf(callbacks, message)))
    for (const event of events)
      told.push({ at: event.metadata.at, says: eventInWords(event, '', texts) })
  return told
}

/** Who was told of an event, when, and what they answered. */
const toldOf = async (needs: Needs, { id, type, metadata }: Recorded): Promise<readonly Told[]> => {
  const name = callbackNameOf(type, metadata.schema)
  const told = name === undefined ? [] : await attempts(needs, id)
  const displayed = isDisplayed(type) ? await attempts(needs, displayMessageId(id)) : []
  if (name !== undefined && told.length === 0)
    return [{ at: null, says: needs.texts.callbackNotSent({ event: name }) }, ...displayed]
  return [...told, ...displayed]
}

/** Maximum number of entries in a story; the others are only counted. */
export const mostEntries = 200

type More = Partial<Pick<Entry, 'numbers' | 'counted' | 'told'>> & { readonly currency?: string }

/** An event as a story entry, including the notifications about it. */
export const entryOf = async (
  needs: Needs,
  event: Recorded,
  { currency, numbers = [], counted = [], told }: More = {},
): Promise<Entry> => {
  const { store, openAddress, texts } = needs
  const { position, stream, revision, id, type, metadata } = event
  return {
    ...{ position, stream, revision, id, type, at: metadata.at },
    who: whoCaused(event, openAddress, texts),
    why: whyCaused(event, texts),
    says: eventInWords(event, currency ?? (await currencyOf(store, event)), texts),
    told: told ?? (await toldOf(needs, event)),
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
