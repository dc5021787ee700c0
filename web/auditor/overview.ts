import { html } from 'hono/html'
import { browse } from '../../audit/explain/browse.ts'
import { filledText } from '../../application/filled-text.ts'
import type { Queries } from '../../projections/read-models.ts'
import { explainForm } from './filters.ts'
import { eventsTable, type AuditEventNeeds } from './events.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { route, type Route } from '../../http/route.ts'
import { shownTime } from './page.ts'
import { auditTexts, type AuditTexts } from './texts.ts'
import { auditPages, type AuditVisits } from './visits.ts'

export type AuditOverviewNeeds = Pick<AuditEventNeeds, 'store' | 'openAddress'> &
  Pick<Queries['transparency'], 'checkpoints'> & {
    readonly caughtUp: () => Promise<void>
    /** Undefined before the first audit. */
    readonly lastAudit: () =>
      { readonly holds: boolean; readonly at: number; readonly position: number } | undefined
  }

const shownEvents = 10

const verdictHtml = (
  last: ReturnType<AuditOverviewNeeds['lastAudit']>,
  texts: AuditTexts,
): Html => {
  if (!last) return html`<p class="note">${texts.notAudited}</p>`
  const { holds, at, position } = last
  const until = filled(texts.auditedUntil, shownTime(at), position)
  const [kind, says] = holds ? ['good', texts.logHolds] : ['bad', texts.logWrong]
  return html`<p class="state ${kind}">
    <span>${says}<small>${until}</small></span>
  </p>`
}

/** Where an auditor begins: the newest events, and the newest checkpoint. */
const overviewRoute = (needs: AuditOverviewNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/', {
    summary: 'What an auditor begins with',
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = auditTexts[language]
        await needs.caughtUp()
        const head = await needs.store.head()
        const { events } = await browse(needs.store, {}, shownEvents)
        const newest = needs.checkpoints.newest()
        const verdict = needs.lastAudit()
        const checkpoint = newest
          ? filled(
              texts.checkpointNewest,
              ...[newest.size, shownTime(newest.signedAt), html`<code>${newest.root}</code>`],
            )
          : texts.checkpointNone
        const body = html`<h1>${texts.log}</h1>
          <p>${filledText(texts.logWhat, String(head))}</p>
          ${verdictHtml(verdict, texts)}
          <p>${checkpoint}</p>
          ${explainForm(texts.explainAsk, texts)}
          <h2>${texts.newestEvents}</h2>
          ${await eventsTable(needs, events, language)}
          <p><a href="/audit/events">${texts.allEvents}</a></p>`
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

export const auditOverviewRoutes = (needs: AuditOverviewNeeds, visits: AuditVisits): Route[] => [
  withoutSlash(visits),
  overviewRoute(needs, visits),
]
