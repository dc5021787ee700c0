import { html } from 'hono/html'
import { z } from 'zod'
import type { ExplainedRefusal, RefusalsWanted } from '../../application/audit/refused-request.ts'
import type { Html } from '../payer/page.ts'
import { textOfRefusal } from '../refusal-answers.ts'
import type { Route } from '../route.ts'
import { filtersHtml } from './filters.ts'
import { eventLink, explainHref, shownTime } from './page.ts'
import { filled, timeIn } from './query.ts'
import { auditPages, type AuditVisits } from './visits.ts'

export type AuditRefusalNeeds = {
  readonly refusals: (wanted: RefusalsWanted, limit: number) => Promise<readonly ExplainedRefusal[]>
}

const onPage = 100
const secondMs = 1_000
const dayMs = 86_400_000

const text = (description: string) => z.string().max(200).optional().meta({ description })

const query = z.object({
  at: text('Of this second.'),
  since: text('From this time on; without times, of the last day.'),
  until: text('Before this time.'),
  merchant: text('Of this merchant.'),
  actor: text('Of this one.'),
})

const againHtml = ({ again, rule }: ExplainedRefusal): Html | '' => {
  if (!again) return ''
  const { asked, then, position, refused, events } = again
  const same = refused?.includes(rule) ? ', the same rule' : ''
  const verdict = refused
    ? `Decided again: refused, ${refused.join(', ')}${same}.`
    : `Decided again: it would be allowed: ${events.join(', ') || 'nothing would change'}.`
  const asOf =
    position === undefined ? 'Before its first event.' : html`As of event ${eventLink(position)}.`
  return html`<p>Asked: ${asked}.</p>
    ${then === '' ? '' : html`<p>Then: ${then}.</p>`}
    <p>${asOf}</p>
    <p><b>${verdict}</b></p>`
}

const refusalHtml = (refusal: ExplainedRefusal): Html => {
  const { at, actor, merchant, method, path, target, status, rule, stream, revision } = refusal
  const about = stream === undefined ? '' : html`<a href="${explainHref(stream)}">${stream}</a>`
  const of = merchant === null ? '' : ` of ${merchant}`
  return html`<li>
    <p class="when">${shownTime(Date.parse(at))} · ${status} · request ${refusal.request}</p>
    <p class="says">${rule}</p>
    <p>${textOfRefusal(rule) ?? ''}</p>
    <p class="quiet small">${actor}${of} · ${method} ${target ?? path}</p>
    ${stream === undefined ? '' : html`<p>About ${about}, revision ${revision}.</p>`}
    ${againHtml(refusal)}
  </li>`
}

const wantedOf = (given: z.output<typeof query>, now: number): RefusalsWanted => {
  const times = ['at', 'since', 'until'] as const
  const [at, since, until] = times.map((name) => timeIn(name, given[name]))
  const who = { merchant: filled(given.merchant), actor: filled(given.actor) }
  if (at === undefined) return { from: since ?? now - dayMs, to: until ?? Infinity, ...who }
  const second = Math.floor(at / secondMs) * secondMs
  return { from: second, to: second + secondMs, ...who }
}

export const auditRefusalRoute = (needs: AuditRefusalNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/refusals', {
    summary: 'Refused requests, each decided again as things stood',
    query,
    handle: (call) =>
      visits.look(call, async () => {
        const given = call.query
        const found = await needs.refusals(wantedOf(given, call.at), onPage)
        const fields = [
          { name: 'at', label: 'Second (UTC)', example: '2026-05-17 12:03:11', value: given.at },
          { name: 'since', label: 'Since (UTC)', value: given.since },
          { name: 'until', label: 'Until (UTC)', value: given.until },
          { name: 'merchant', label: 'Merchant', value: given.merchant },
          { name: 'actor', label: 'Of whom', example: 'user:pos1', value: given.actor },
        ]
        const body = html`<h1>Refusals</h1>
          ${filtersHtml('/audit/refusals', fields, 'Show')}
          ${
            found.length === 0
              ? html`<p class="quiet">Nothing was refused then.</p>`
              : html`<section class="card">
                  <ol class="entries">
                    ${found.map(refusalHtml)}
                  </ol>
                </section>`
          }
          ${found.length === onPage ? html`<p class="quiet">The newest ${onPage}.</p>` : ''}`
        return { title: 'Refusals', body, json: { refusals: found } }
      }),
  })
