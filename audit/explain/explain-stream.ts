import { callbacks } from '../../domain/aggregates.ts'
import { streamOfSubject } from '../../domain/callback-names.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { streamOf } from '../../domain/stream.ts'
import { filledText } from '../../application/filled-text.ts'
import { historyOf } from '../../application/history.ts'
import { entryOf, mostEntries } from './entries.ts'
import type { ExplainNeeds } from './needs.ts'
import type { Entry, Story } from './story.ts'
import type { StoryTexts } from './texts.ts'

const eventsOf = async ({ store }: ExplainNeeds, stream: string): Promise<Recorded[]> => {
  const all: Recorded[] = []
  for await (const events of historyOf(store, stream)) all.push(...events)
  return all
}

const nothingMore = { numbers: [], more: 0 }

/** The story of any stream; undefined if it does not exist. */
export const explainStream = async (
  needs: ExplainNeeds,
  stream: string,
): Promise<Story | undefined> => {
  const events = await eventsOf(needs, stream)
  if (events.length === 0) return undefined
  const entries: Entry[] = []
  for (const event of events.slice(0, mostEntries)) entries.push(await entryOf(needs, event))
  const more = events.length - entries.length
  const says = [filledText(needs.texts.events, events.length)]
  return { title: stream, says, entries, ...nothingMore, more }
}

const outcomeOf = (attempts: readonly Recorded[], texts: StoryTexts): string => {
  const made = attempts.flatMap(({ type, data }) => (type === 'CallbackAttempted' ? [data] : []))
  const last = made.at(-1)
  if (!last) return texts.callbackNobody
  if (made.some(({ result }) => result === 'delivered'))
    return filledText(texts.callbackDelivered, made.length)
  if (last.nextAttemptAt === null) return texts.callbackGivenUp
  return filledText(texts.callbackOpen, made.length)
}

/** The event that a message announces, and the delivery attempts. */
export const explainCallback = async (
  needs: ExplainNeeds,
  message: string,
): Promise<Story | undefined> => {
  const attempts = await eventsOf(needs, streamOf(callbacks, message))
  const [first] = attempts
  if (!first) return undefined
  const about = 'subject' in first.data && 'seqno' in first.data ? first.data : undefined
  const told = about
    ? await needs.store.readStream(streamOfSubject(about.subject), about.revision, 1)
    : []
  const entries: Entry[] = []
  for (const event of [...told.map(parseEvent), ...attempts.slice(0, mostEntries)])
    entries.push(await entryOf(needs, event, { told: [] }))
  const { texts } = needs
  const title = about
    ? filledText(texts.callbackOf, message, about.seqno, about.subject, about.event)
    : filledText(texts.callback, message)
  return { title, says: [outcomeOf(attempts, texts)], entries, ...nothingMore }
}
