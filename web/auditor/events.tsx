import { Card, Link, Table, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import { browse, browseStream } from '../../audit/explain/browse.ts'
import type { Check } from '../../audit/explain/needs.ts'
import type { StoryTexts } from '../../audit/explain/story-forms.ts'
import { utc } from '../../domain/time-zone.ts'
import { storyTexts, type StoryReader } from '../ui/story-texts.ts'
import {
  eventWithCurrencyInWords,
  whoCaused,
  whyCaused,
  type OpenAddress,
} from '../../audit/explain/event-words.ts'
import { proveOrder, type OrderProof } from '../../audit/explain/prove-order.ts'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import { withIsoTimes } from '../../domain/event-times.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { refuse } from '../../domain/refusal.ts'
import { filled } from '../ui/words.tsx'
import type { Route } from '../../http/route.ts'
import {
  eventFields,
  filtersHtml,
  eventQuery,
  searchOfFields,
  eventFilter,
  type EventQuery,
} from './query.tsx'
import { eventLink, explainHref, inEnglish, shownTime } from './page.tsx'
import { saysHtml } from './explain.tsx'
import { auditPages, type AuditVisits, type AuditView } from './visits.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'
import type { PlainKey } from '../../texts/message.ts'

export type AuditEventNeeds = {
  readonly store: Pick<EventStore, 'readAt' | 'readBack' | 'readStream' | 'head'>
  readonly proving: Parameters<typeof proveOrder>[0]
  readonly openAddress: OpenAddress
}

const onPage = 50

/** An event as it is stored, times as ISO 8601. */
const storedOf = ({ stream, revision, position, id, type, data, metadata }: RecordedEvent) =>
  withIsoTimes({ stream, revision, position, id, type, data, metadata })

const tells = async (
  store: AuditEventNeeds['store'],
  event: Recorded,
  words: StoryTexts,
): Promise<Html> => {
  const says = await eventWithCurrencyInWords(store, event, words)
  return saysHtml({ type: event.type, says })
}

/** Events one below the other, each with what it tells and who caused it. */
export const eventsTable = async (
  { store, openAddress }: Pick<AuditEventNeeds, 'store' | 'openAddress'>,
  events: readonly Recorded[],
  reader: StoryReader,
): Promise<Html> => {
  const [texts, words] = [textsIn[reader.language].auditor, storyTexts(reader, utc)]
  const rows = events.map(async (event) => [
    eventLink(event.position),
    shownTime(event.metadata.at),
    [<b>{event.type}</b>, <br />, await tells(store, event, words)],
    whoCaused(event, openAddress, words),
    <a href={explainHref(event.stream)}>{event.stream}</a>,
  ])
  const heads = [texts.oneEvent, texts.time, texts.what, texts.who, texts.stream]
  return (
    <div class="card scroll stack">
      <Table heads={heads} rows={await Promise.all(rows)} />
    </div>
  )
}

const verdictOf = ({ holds }: Check): PlainKey<Catalogue['auditor']> => {
  if (holds === null) return 'holdsUnknown'
  return holds ? 'holds' : 'holdsNot'
}

/** The proof itself is in English, as `daybook audit` prints it. */
const proofHtml = ({ verdict, checks, holds }: OrderProof, texts: Catalogue['auditor']): Html => (
  <Card title={texts.ordered}>
    <p class={holds ? 'state good' : 'note'}>{inEnglish(verdict)}</p>
    <ul class="checks">
      {checks.map((check) => (
        <li>
          <b>{texts[verdictOf(check)]}</b> {inEnglish(check.says)}
        </li>
      ))}
    </ul>
  </Card>
)

const json = (value: object): string => JSON.stringify(value, null, 2)

/** One event, with the proof of who ordered it. */
const oneEvent = async (
  needs: AuditEventNeeds,
  position: number,
  reader: StoryReader,
): Promise<AuditView> => {
  const [texts, words] = [textsIn[reader.language].auditor, storyTexts(reader, utc)]
  const { store, proving, openAddress } = needs
  const found = (await store.readAt(position)) ?? refuse('resource_is_unknown')
  const event = parseEvent(found)
  const proof = await proveOrder(proving, event)
  const stored = storedOf(found)
  const title = texts.event({ position })
  const cause = filled(texts.byAt, {
    time: shownTime(event.metadata.at),
    who: whoCaused(event, openAddress, words),
    why: whyCaused(event, words),
    revision: event.revision,
    stream: <a href={explainHref(event.stream)}>{event.stream}</a>,
  })
  const body = [
    <p>
      <Link class="back" href="/audit/events" text={texts.events} />
    </p>,
    <h1>
      {title}: {event.type}
    </h1>,
    <p>{await tells(store, event, words)}</p>,
    <p>{cause}</p>,
    proofHtml(proof, texts),
    <Card title={texts.data}>
      <pre>{json(stored.data)}</pre>
      <h2>{texts.metadata}</h2>
      <pre>{json(stored.metadata)}</pre>
    </Card>,
  ]
  return { title, body, json: { event: stored, proof } }
}

const manyEvents = async (
  needs: AuditEventNeeds,
  query: EventQuery,
  reader: StoryReader,
): Promise<AuditView> => {
  const texts = textsIn[reader.language].auditor
  const { before, ...fields } = query
  const from = Number(before)
  const [filter, end] = [eventFilter(query), from > 0 ? from : undefined]
  const { stream } = filter
  const found =
    stream === undefined
      ? await browse(needs.store, filter, onPage, end)
      : await browseStream(needs.store, stream, filter, onPage, end)
  const search = searchOfFields({ ...fields, before: String(found.before ?? '') })
  const older =
    found.before === undefined ? (
      <p class="quiet">{texts.thatIsAll}</p>
    ) : (
      <p>
        <a href={`/audit/events?${search}`}>{texts.lookBack}</a>
      </p>
    )
  const body = [
    <h1>{texts.events}</h1>,
    filtersHtml('/audit/events', eventFields(fields, texts), texts.show),
    found.events.length > 0 && (await eventsTable(needs, found.events, reader)),
    older,
  ]
  const events = found.events.map((event) => storedOf(event as RecordedEvent))
  return { title: texts.events, body, json: { events, before: found.before ?? null } }
}

export const auditEventRoutes = (needs: AuditEventNeeds, visits: AuditVisits): Route[] => [
  auditPages.get('/audit/events', {
    summary: 'Events of the log, newest first',
    query: eventQuery,
    handle: (call) =>
      visits.look(call, (language, locale) => manyEvents(needs, call.query, { language, locale })),
  }),
  auditPages.get('/audit/event/:position', {
    summary: 'An event, and who ordered it',
    params: z.object({ position: z.string().regex(/^[1-9]\d{0,14}$/) }),
    handle: (call) =>
      visits.look(call, (language, locale) =>
        oneEvent(needs, Number(call.params.position), { language, locale }),
      ),
  }),
]
