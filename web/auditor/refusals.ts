import { html } from 'hono/html'
import { z } from 'zod'
import type { ExplainedRefusal } from '../../audit/explain/decide-again.ts'
import type { RefusalsWanted } from '../../application/refused-request.ts'
import type { Html } from '../ui/page.ts'
import { filled } from '../ui/words.ts'
import { quiet } from '../portal/parts.ts'
import type { Route } from '../../http/route.ts'
import { filtersHtml, givenIn, timeIn } from './query.ts'
import { eventLink, explainHref, inEnglish, ruleHtml, shownTime } from './page.ts'
import { auditPages, type AuditVisits } from './visits.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'

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

/** What was asked and how it stood are in English, as `daybook audit refusals` prints them. */
const againHtml = ({ again, rule }: ExplainedRefusal, texts: Catalogue['auditor']): Html | '' => {
  if (!again) return ''
  const { asked, then, position, refused, events } = again
  const codes = refused?.join(', ') ?? ''
  const rules = refused?.includes(rule) ? texts.decidedSame({ rules: codes }) : codes
  const verdict = refused
    ? texts.decidedRefused({ rules })
    : texts.decidedAllowed({ events: events.join(', ') || texts.decidedNothing })
  const asOf =
    position === undefined ? texts.beforeFirst : filled(texts.asOf, { event: eventLink(position) })
  return html`<p>${filled(texts.asked, { what: inEnglish(asked) })}</p>
    ${then === '' ? '' : html`<p>${filled(texts.then, { what: inEnglish(then) })}</p>`}
    <p>${asOf}</p>
    <p><b>${verdict}</b></p>`
}

const refusalHtml = (refusal: ExplainedRefusal, language: Language): Html => {
  const texts = textsIn[language].auditor
  const { at, actor, merchant, method, path, target, status, rule, stream, revision } = refusal
  const about =
    stream !== undefined &&
    filled(texts.about, {
      subject: html`<a href="${explainHref(stream)}">${stream}</a>`,
      revision: revision ?? '',
    })
  const who = merchant === null ? actor : texts.actorOf({ actor, merchant })
  return html`<li>
    <p class="when">
      ${shownTime(Date.parse(at))} · ${status} · ${texts.request({ id: refusal.request })}
    </p>
    <p class="says">${rule}</p>
    <p>${ruleHtml(rule, language)}</p>
    <p class="quiet small">${who} · ${method} ${target ?? path}</p>
    ${about ? html`<p>${about}</p>` : ''} ${againHtml(refusal, texts)}
  </li>`
}

const wantedOf = (given: z.output<typeof query>, now: number): RefusalsWanted => {
  const times = ['at', 'since', 'until'] as const
  const [at, since, until] = times.map((name) => timeIn(name, given[name]))
  const who = { merchant: givenIn(given.merchant), actor: givenIn(given.actor) }
  if (at === undefined) return { from: since ?? now - dayMs, to: until ?? Infinity, ...who }
  const second = Math.floor(at / secondMs) * secondMs
  return { from: second, to: second + secondMs, ...who }
}

export const auditRefusalRoute = (needs: AuditRefusalNeeds, visits: AuditVisits): Route =>
  auditPages.get('/audit/refusals', {
    summary: 'Refused requests, each decided again as things stood',
    query,
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = textsIn[language].auditor
        const given = call.query
        const found = await needs.refusals(wantedOf(given, call.at), onPage)
        const fields = [
          { name: 'at', label: texts.second, example: '2026-05-17 12:03:11', value: given.at },
          { name: 'since', label: texts.since, value: given.since },
          { name: 'until', label: texts.until, value: given.until },
          { name: 'merchant', label: texts.merchant, value: given.merchant },
          { name: 'actor', label: texts.ofWhom, example: 'user:pos1', value: given.actor },
        ]
        const body = html`<h1>${texts.refusals}</h1>
          ${filtersHtml('/audit/refusals', fields, texts.show)}
          ${
            found.length === 0
              ? quiet(texts.notRefused)
              : html`<section class="card">
                  <ol class="entries">
                    ${found.map((one) => refusalHtml(one, language))}
                  </ol>
                </section>`
          }
          ${found.length === onPage ? quiet(texts.newestOnly({ count: onPage })) : ''}`
        return { title: texts.refusals, body, json: { refusals: found } }
      }),
  })
