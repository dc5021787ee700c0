import { Table, type Row, type Html } from '../ui/components.tsx'
import { assetRoute, type AssetNeeds } from '../../http/assets.ts'
import { asPages } from '../ui/page.tsx'
import { type Route, route } from '../../http/route.ts'
import { textStream } from '../../http/text-stream.ts'
import { auditEventRoutes, type AuditEventNeeds, eventsTable } from './events.tsx'
import { auditExplainRoutes, type AuditExplainNeeds } from './explain.tsx'
import { auditRefusalRoute, type AuditRefusalNeeds } from './refusals.tsx'
import { auditSqlRoutes, type AuditSqlNeeds } from './sql.tsx'
import { auditSignInRoutes, type AuditSignInNeeds } from './sign-in.tsx'
import { makeAuditVisits, type VisitNeeds, auditPages, type AuditVisits } from './visits.tsx'
import { isWanted, type EventFilter, browse } from '../../audit/explain/browse.ts'
import { start, type EventStore, type RecordedEvent } from '../../application/event-store.ts'
import { eventFields, filtersHtml, explainForm, eventQuery, eventFilter } from './query.tsx'
import type { Queries } from '../../projections/read-models.ts'
import { z } from 'zod'
import { filled } from '../ui/words.tsx'
import { shownTime } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

type AuditOverviewNeeds = Pick<AuditEventNeeds, 'store' | 'openAddress'> &
  Pick<Queries['transparency'], 'checkpoints'> & {
    readonly caughtUp: () => Promise<void>
    /** Undefined before the first audit. */
    readonly lastAudit: () =>
      { readonly holds: boolean; readonly at: number; readonly position: number } | undefined
  }

const eventsListed = 10

const verdictHtml = (
  last: ReturnType<AuditOverviewNeeds['lastAudit']>,
  texts: Catalogue['auditor'],
): Html => {
  if (!last) return <p class="note">{texts.notAudited}</p>
  const { holds, at, position } = last
  const until = filled(texts.auditedUntil, { time: shownTime(at), position })
  const [kind, says] = holds ? ['good', texts.logHolds] : ['bad', texts.logWrong]
  return (
    <p class={`state ${kind}`}>
      <span>
        {says}
        <small>{until}</small>
      </span>
    </p>
  )
}

/** Where an auditor begins: the newest events, and the newest checkpoint. */
const overviewRoute = (needs: AuditOverviewNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/', {
    summary: 'What an auditor begins with',
    handle: (call) =>
      visits.look(call, async (language, locale) => {
        const texts = textsIn[language].auditor
        await needs.caughtUp()
        const head = await needs.store.head()
        const { events } = await browse(needs.store, {}, eventsListed)
        const newest = needs.checkpoints.newest()
        const verdict = needs.lastAudit()
        const checkpoint = newest
          ? filled(texts.checkpointNewest, {
              count: newest.size,
              time: shownTime(newest.signedAt),
              root: <code>{newest.root}</code>,
            })
          : texts.checkpointNone
        const body = [
          <h1>{texts.log}</h1>,
          <p>{texts.logWhat({ position: String(head) })}</p>,
          verdictHtml(verdict, texts),
          <p>{checkpoint}</p>,
          explainForm(texts.explainAsk, texts),
          <h2>{texts.newestEvents}</h2>,
          await eventsTable(needs, events, { language, locale }),
          <p>
            <a href="/audit/events">{texts.allEvents}</a>
          </p>,
        ]
        return {
          title: texts.overview,
          body,
          json: { head, checkpoint: newest ?? null, verdict: verdict ?? null },
        }
      }),
  })

/** For whoever leaves out the last slash. */
const withoutSlash = (visits: AuditVisits): Route =>
  route({
    method: 'GET',
    access: 'OPEN',
    group: 'Audit',
    path: '/audit',
    summary: 'On to the overview of auditors',
    success: 'raw otherwise',
    replyTypes: ['text/html'],
    errors: { 303: 'On to `/audit/`.' },
    handle: () => visits.go('/audit/'),
  })

const auditOverviewRoutes = (needs: AuditOverviewNeeds, visits: AuditVisits): Route[] => [
  withoutSlash(visits),
  overviewRoute(needs, visits),
]

type Checkpoint = ReturnType<Queries['transparency']['checkpoints']['before']>[number]

type AuditCheckpointNeeds = Pick<Queries['transparency'], 'checkpoints'> & {
  readonly caughtUp: () => Promise<void>
}

const onPage = 50

const query = z.object({
  before: z
    .string()
    .regex(/^\d{0,15}$/)
    .optional()
    .meta({ description: 'Of fewer events than this, to look further back.' }),
})

/** A row, with the proof that the checkpoint before is its beginning. */
const rowHtml = (
  { size, root, signedAt, cosigned }: Checkpoint,
  before: Checkpoint | undefined,
  texts: Catalogue['auditor'],
): Row => {
  const proof = `/transparency/proof/consistency?from=${before?.size}&to=${size}`
  return [
    size,
    shownTime(signedAt),
    <code>{root}</code>,
    cosigned,
    before ? <a href={proof}>{texts.proofSince({ size: before.size })}</a> : null,
  ]
}

const pageHtml = (found: readonly Checkpoint[], texts: Catalogue['auditor']): Html => {
  const last = found.at(-1)
  const more =
    found.length === onPage && last ? (
      <p>
        <a href={`/audit/checkpoints?before=${last.size}`}>{texts.lookBack}</a>
      </p>
    ) : null
  const heads = [texts.events, texts.signed, texts.root, texts.witnesses, texts.proof]
  const rows = found.map((one, index) => rowHtml(one, found[index + 1], texts))
  const newest = <a href="/transparency/checkpoint">{texts.newestSigned}</a>
  const key = <a href="/transparency/key">{texts.key}</a>
  return [
    <h1>{texts.checkpoints}</h1>,
    <p>{filled(texts.checkpointsWhat, { newest, key })}</p>,
    <div class="card scroll">
      <Table heads={heads} rows={rows} />
    </div>,
    more,
  ]
}

const auditCheckpointRoute = (needs: AuditCheckpointNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/checkpoints', {
    summary: 'The checkpoints of the log, newest first',
    query,
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = textsIn[language].auditor
        await needs.caughtUp()
        const before = Number(call.query.before) || Number.MAX_SAFE_INTEGER
        const found = needs.checkpoints.before(before, onPage)
        const body = pageHtml(found, texts)
        return { title: texts.checkpoints, body, json: { checkpoints: found } }
      }),
  })

type AuditExportNeeds = { readonly store: Pick<EventStore, 'readAll'> }

const lineOf = ({ stream, revision, position, id, type, data, metadata }: RecordedEvent): string =>
  `${JSON.stringify({ stream, revision, position, id, type, data, metadata })}\n`

/** Events as they are stored, as JSON Lines. */
async function* linesOf({ readAll }: AuditExportNeeds['store'], filter: EventFilter) {
  const isIt = isWanted(filter)
  for await (const events of readAll(start)) yield events.filter(isIt).map(lineOf).join('')
}

const file = '/audit/export/events.jsonl'

const auditExportRoutes = ({ store }: AuditExportNeeds, visits: AuditVisits): Route[] => [
  auditPages.get('/audit/export', {
    summary: 'Choose events to take away',
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = textsIn[language].auditor
        return {
          title: texts.export,
          body: [
            <h1>{texts.export}</h1>,
            <p>{texts.exportWhat}</p>,
            filtersHtml(file, eventFields({}, texts), texts.download),
          ],
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
        body: textStream(linesOf(store, eventFilter(call.query))),
        headers: { 'Content-Disposition': 'attachment; filename="events.jsonl"' },
      })),
  }),
]

type AuditNeeds = VisitNeeds &
  AuditSignInNeeds &
  AuditOverviewNeeds &
  AuditEventNeeds &
  AuditExplainNeeds &
  AuditRefusalNeeds &
  AuditCheckpointNeeds &
  AuditExportNeeds &
  AuditSqlNeeds &
  AssetNeeds

/** What auditors see. All of it only reads; every look is recorded. */
export const auditRoutes = (needs: AuditNeeds): Route[] => {
  const visits = makeAuditVisits(needs)
  const style = needs.readAsset('web/auditor/audit.css')
  return [
    ...asPages([
      ...auditSignInRoutes(needs, visits),
      ...auditOverviewRoutes(needs, visits),
      ...auditEventRoutes(needs, visits),
      ...auditExplainRoutes(needs, visits),
      auditRefusalRoute(needs, visits),
      auditCheckpointRoute(needs, visits),
      ...auditExportRoutes(needs, visits),
      ...auditSqlRoutes(needs, visits),
    ]),
    assetRoute({
      path: '/audit/style.css',
      type: 'text/css',
      group: 'Audit',
      summary: 'What pages of auditors are made of: style.css',
      body: () => style,
    }),
  ]
}
