import { html } from 'hono/html'
import { z } from 'zod'
import { browse, browseStream } from '../../application/audit/browse.ts'
import { eventWithCurrencyInWords } from '../../application/audit/event-words.ts'
import { proveOrder, type OrderProof } from '../../application/audit/prove-order.ts'
import { whoCaused, whyCaused, type OpenAddress } from '../../application/audit/who-caused.ts'
import type { EventStore, RecordedEvent } from '../../application/event-store.ts'
import { withIsoTimes } from '../../domain/event-times.ts'
import { parseEvent, type Recorded } from '../../domain/events.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Html } from '../payer/page.ts'
import { headedTable } from '../portal/parts.ts'
import type { Route } from '../route.ts'
import { eventFields, filtersHtml } from './filters.ts'
import { eventLink, explainHref, shownTime } from './page.ts'
import { eventQuery, searchOfFields, wantedOf, type EventQuery } from './query.ts'
import { auditPages, type AuditVisits, type Shown } from './visits.ts'

export type AuditEventNeeds = {
  readonly store: Pick<EventStore, 'readAt' | 'readBack' | 'readStream' | 'head'>
  readonly proving: Parameters<typeof proveOrder>[0]
  readonly openAddress: OpenAddress
}

const onPage = 50
/** An event as it is stored, times as ISO 8601. */
const storedOf = ({ stream, revision, position, id, type, data, metadata }: RecordedEvent) =>
  withIsoTimes({ stream, revision, position, id, type, data, metadata })

/** Events one below the other, each with what it tells and who caused it. */
export const eventsTable = async (
  { store, openAddress }: Pick<AuditEventNeeds, 'store' | 'openAddress'>,
  events: readonly Recorded[],
): Promise<Html> => {
  const rows = events.map(
    async (event) =>
      html`<tr>
        <td>${eventLink(event.position)}</td>
        <td>${shownTime(event.metadata.at)}</td>
        <td><b>${event.type}</b><br />${await eventWithCurrencyInWords(store, event)}</td>
        <td>${whoCaused(event, openAddress)}</td>
        <td><a href="${explainHref(event.stream)}">${event.stream}</a></td>
      </tr>`,
  )
  const heads = ['Event', 'Time (UTC)', 'What', 'Who', 'Stream']
  return html`<div class="card scroll stack">
    ${headedTable('', heads, await Promise.all(rows))}
  </div>`
}

const proofHtml = ({ verdict, checks, holds }: OrderProof): Html =>
  html`<section class="card">
    <h2>Who ordered it</h2>
    <p class="${holds ? 'state good' : 'note'}"><span>${verdict}</span></p>
    <ul class="checks">
      ${checks.map(
        (check) =>
          html`<li>
            <b>${check.holds === null ? 'Unknown' : check.holds ? 'Holds' : 'Does not hold'}</b>
            ${check.says}
          </li>`,
      )}
    </ul>
  </section>`

const json = (value: object): string => JSON.stringify(value, null, 2)

/** One event, with the proof of who ordered it. */
const oneEvent = async (needs: AuditEventNeeds, position: number): Promise<Shown> => {
  const { store, proving, openAddress } = needs
  const found = (await store.readAt(position)) ?? refuse('resource_is_unknown')
  const event = parseEvent(found)
  const proof = await proveOrder(proving, event)
  const stored = storedOf(found)
  const body = html`<p><a class="back" href="/audit/events">Events</a></p>
    <h1>Event ${position}: ${event.type}</h1>
    <p>${await eventWithCurrencyInWords(store, event)}</p>
    <p>
      ${shownTime(event.metadata.at)} by ${whoCaused(event, openAddress)}, ${whyCaused(event)};
      revision ${event.revision} of <a href="${explainHref(event.stream)}">${event.stream}</a>
    </p>
    ${proofHtml(proof)}
    <section class="card">
      <h2>Data</h2>
      <pre>${json(stored.data)}</pre>
      <h2>Metadata</h2>
      <pre>${json(stored.metadata)}</pre>
    </section>`
  return { title: `Event ${position}`, body, json: { event: stored, proof } }
}

const manyEvents = async (needs: AuditEventNeeds, query: EventQuery): Promise<Shown> => {
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
      ? html`<p class="quiet">That is all.</p>`
      : html`<p><a href="/audit/events?${search}">Look further back</a></p>`
  const body = html`<h1>Events</h1>
    ${filtersHtml('/audit/events', eventFields(fields), 'Show')}
    ${found.events.length === 0 ? '' : await eventsTable(needs, found.events)} ${older}`
  const events = found.events.map((event) => storedOf(event as RecordedEvent))
  return { title: 'Events', body, json: { events, before: found.before ?? null } }
}

export const auditEventRoutes = (needs: AuditEventNeeds, visits: AuditVisits): Route[] => [
  auditPages.get('/audit/events', {
    summary: 'Events of the log, newest first',
    query: eventQuery,
    handle: (call) => visits.look(call, () => manyEvents(needs, call.query)),
  }),
  auditPages.get('/audit/event/:position', {
    summary: 'An event, and who ordered it',
    params: z.object({ position: z.string().regex(/^[1-9]\d{0,14}$/) }),
    handle: (call) => visits.look(call, () => oneEvent(needs, Number(call.params.position))),
  }),
]
