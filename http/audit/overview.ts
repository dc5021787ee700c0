import { html } from 'hono/html'
import { browse } from '../../application/audit/browse.ts'
import type { Queries } from '../../projections/read-models.ts'
import { explainForm } from './filters.ts'
import { eventsTable, type AuditEventNeeds } from './events.ts'
import type { Html } from '../payer/page.ts'
import { route, type Route } from '../route.ts'
import { shownTime } from './page.ts'
import { auditPages, type AuditVisits } from './visits.ts'

export type AuditOverviewNeeds = Pick<AuditEventNeeds, 'store' | 'openAddress'> &
  Pick<Queries['transparency'], 'checkpoints'> & {
    readonly caughtUp: () => Promise<void>
    /** Undefined before the first audit. */
    readonly lastAudit: () =>
      { readonly holds: boolean; readonly at: number; readonly position: number } | undefined
  }

const shownEvents = 10

const verdictHtml = (last: ReturnType<AuditOverviewNeeds['lastAudit']>): Html => {
  if (!last) return html`<p class="note">The service has not audited its log so far.</p>`
  const { holds, at, position } = last
  const until = html`${shownTime(at)} (UTC), up to position ${position}`
  return holds
    ? html`<p class="state good">
        <span>The log holds<small>audited ${until}</small></span>
      </p>`
    : html`<p class="state bad">
        <span>Something is wrong with the log<small>audited ${until}</small></span>
      </p>`
}

/** Where an auditor begins: the newest events, and the newest checkpoint. */
const overviewRoute = (needs: AuditOverviewNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/', {
    summary: 'What an auditor begins with',
    handle: (call) =>
      visits.look(call, async () => {
        await needs.caughtUp()
        const head = await needs.store.head()
        const { events } = await browse(needs.store, {}, shownEvents)
        const newest = needs.checkpoints.newest()
        const verdict = needs.lastAudit()
        const checkpoint = newest
          ? html`<p>
              The newest checkpoint covers ${newest.size} events, signed
              ${shownTime(newest.signedAt)}: <code>${newest.root}</code>
            </p>`
          : html`<p>No checkpoint is signed so far.</p>`
        const body = html`<h1>The log</h1>
          <p>It holds events up to position ${head}. You can read all of it, and change nothing.</p>
          ${verdictHtml(verdict)} ${checkpoint}
          ${explainForm('What do you want to have explained?')}
          <h2>The newest events</h2>
          ${await eventsTable(needs, events)}
          <p><a href="/audit/events">All events</a></p>`
        return {
          title: 'Overview',
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
