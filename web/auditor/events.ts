import { html } from 'hono/html'
import { z } from 'zod'
import { browse, browseStream } from '../../audit/explain/browse.ts'
import type { Check } from '../../audit/explain/needs.ts'
import { eventWithCurrencyInWords } from '../../audit/explain/event-words.ts'
import { proveOrder, type OrderProof } from '../../audit/explain/prove-order.ts'
import { whoCaused, whyCaused, type OpenAddress } from '../../audit/explain/who-caused.ts'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import { withIsoTimes } from '../../domain/event-times.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { headedTable } from '../portal/parts.ts'
import type { Route } from '../../http/route.ts'
import {
  eventFields,
  filtersHtml,
  eventQuery,
  searchOfFields,
  wantedOf,
  type EventQuery,
} from './query.ts'
import { eventLink, explainHref, inEnglish, shownTime } from './page.ts'
import { saysHtml } from './explain.ts'
import { auditPages, type AuditVisits, type Shown } from './visits.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'
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
  words: Catalogue['story'],
): Promise<Html | string> => {
  const says = await eventWithCurrencyInWords(store, event, words)
  return saysHtml({ type: event.type, says })
}

/** Events one below the other, each with what it tells and who caused it. */
export const eventsTable = async (
  { store, openAddress }: Pick<AuditEventNeeds, 'store' | 'openAddress'>,
  events: readonly Recorded[],
  language: Language,
): Promise<Html> => {
  const [texts, words] = [textsIn[language].auditor, textsIn[language].story]
  const rows = events.map(
    async (event) =>
      html`<tr>
        <td>${eventLink(event.position)}</td>
        <td>${shownTime(event.metadata.at)}</td>
        <td><b>${event.type}</b><br />${await tells(store, event, words)}</td>
        <td>${whoCaused(event, openAddress, words)}</td>
        <td><a href="${explainHref(event.stream)}">${event.stream}</a></td>
      </tr>`,
  )
  const heads = [texts.oneEvent, texts.time, texts.what, texts.who, texts.stream]
  return html`<div class="card scroll stack">
    ${headedTable('', heads, await Promise.all(rows))}
  </div>`
}

const verdictOf = ({ holds }: Check): PlainKey<Catalogue['auditor']> => {
  if (holds === null) return 'holdsUnknown'
  return holds ? 'holds' : 'holdsNot'
}

/** The proof itself is in English, as `daybook audit` prints it. */
const proofHtml = ({ verdict, checks, holds }: OrderProof, texts: Catalogue['auditor']): Html =>
  html`<section class="card">
    <h2>${texts.ordered}</h2>
    <p class="${holds ? 'state good' : 'note'}">${inEnglish(verdict)}</p>
    <ul class="checks">
      ${checks.map(
        (check) =>
          html`<li>
            <b>${texts[verdictOf(check)]}</b>
            ${inEnglish(check.says)}
          </li>`,
      )}
    </ul>
  </section>`

const json = (value: object): string => JSON.stringify(value, null, 2)

/** One event, with the proof of who ordered it. */
const oneEvent = async (
  needs: AuditEventNeeds,
  position: number,
  language: Language,
): Promise<Shown> => {
  const [texts, words] = [textsIn[language].auditor, textsIn[language].story]
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
    stream: html`<a href="${explainHref(event.stream)}">${event.stream}</a>`,
  })
  const body = html`<p><a class="back" href="/audit/events">${texts.events}</a></p>
    <h1>${title}: ${event.type}</h1>
    <p>${await tells(store, event, words)}</p>
    <p>${cause}</p>
    ${proofHtml(proof, texts)}
    <section class="card">
      <h2>${texts.data}</h2>
      <pre>${json(stored.data)}</pre>
      <h2>${texts.metadata}</h2>
      <pre>${json(stored.metadata)}</pre>
    </section>`
  return { title, body, json: { event: stored, proof } }
}

const manyEvents = async (
  needs: AuditEventNeeds,
  query: EventQuery,
  language: Language,
): Promise<Shown> => {
  const texts = textsIn[language].auditor
  const { before, ...fields } = query
  const from = Number(before)
  const [wanted, end] = [wantedOf(query), from > 0 ? from : undefined]
  const { stream } = wanted
  const found =
    stream === undefined
      ? await browse(needs.store, wanted, onPage, end)
      : await browseStream(needs.store, stream, wanted, onPage, end)
  const search = searchOfFields({ ...fields, before: String(found.before ?? '') })
  const older =
    found.before === undefined
      ? html`<p class="quiet">${texts.thatIsAll}</p>`
      : html`<p><a href="/audit/events?${search}">${texts.lookBack}</a></p>`
  const body = html`<h1>${texts.events}</h1>
    ${filtersHtml('/audit/events', eventFields(fields, texts), texts.show)}
    ${found.events.length === 0 ? '' : await eventsTable(needs, found.events, language)} ${older}`
  const events = found.events.map((event) => storedOf(event as RecordedEvent))
  return { title: texts.events, body, json: { events, before: found.before ?? null } }
}

export const auditEventRoutes = (needs: AuditEventNeeds, visits: AuditVisits): Route[] => [
  auditPages.get('/audit/events', {
    summary: 'Events of the log, newest first',
    query: eventQuery,
    handle: (call) => visits.look(call, (language) => manyEvents(needs, call.query, language)),
  }),
  auditPages.get('/audit/event/:position', {
    summary: 'An event, and who ordered it',
    params: z.object({ position: z.string().regex(/^[1-9]\d{0,14}$/) }),
    handle: (call) =>
      visits.look(call, (language) => oneEvent(needs, Number(call.params.position), language)),
  }),
]
