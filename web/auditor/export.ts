import { html } from 'hono/html'
import { isWanted, type Wanted } from '../../audit/explain/browse.ts'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import type { Route } from '../../http/route.ts'
import { eventFields, filtersHtml } from './filters.ts'
import { eventQuery, wantedOf } from './query.ts'
import { auditTexts } from './texts.ts'
import { auditPages, type AuditVisits } from './visits.ts'

export type AuditExportNeeds = { readonly store: Pick<EventStore, 'readAll'> }

const lineOf = ({ stream, revision, position, id, type, data, metadata }: RecordedEvent): string =>
  `${JSON.stringify({ stream, revision, position, id, type, data, metadata })}\n`

/** Events as they are stored, as JSON Lines; read on as fast as the reader takes them. */
const linesOf = ({ readAll }: AuditExportNeeds['store'], wanted: Wanted): ReadableStream => {
  const isIt = isWanted(wanted)
  const batches = readAll(start)[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const { done, value } = await batches.next()
        if (done) return controller.close()
        const text = value.filter(isIt).map(lineOf).join('')
        if (text !== '') return controller.enqueue(encoder.encode(text))
      }
    },
    cancel: async () => void (await batches.return?.()),
  })
}

const file = '/audit/export/events.jsonl'

export const auditExportRoutes = ({ store }: AuditExportNeeds, visits: AuditVisits): Route[] => [
  auditPages.get('/audit/export', {
    summary: 'Choose events to take away',
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = auditTexts[language]
        return {
          title: texts.export,
          body: html`<h1>${texts.export}</h1>
            <p>${texts.exportWhat}</p>
            ${filtersHtml(file, eventFields({}, texts), texts.download)}`,
          json: { events: file },
        }
      }),
  }),
  auditPages.get(file, {
    summary: 'Events as they are stored, as JSON Lines',
    query: eventQuery.omit({ before: true }),
    replyTypes: ['application/jsonl', 'application/json', 'text/html'],
    handle: (call) =>
      visits.look(call, async () => ({
        type: 'application/jsonl',
        body: linesOf(store, wantedOf(call.query)),
        headers: { 'Content-Disposition': 'attachment; filename="events.jsonl"' },
      })),
  }),
]
