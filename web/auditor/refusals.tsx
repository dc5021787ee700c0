import { Quiet, type Html } from '../ui/components.tsx'
import { z } from 'zod'
import type { ExplainedRefusal } from '../../audit/explain/decide-again.ts'
import type { RefusalFilter } from '../../application/refused-request.ts'
import { filled } from '../ui/words.tsx'
import type { Route } from '../../http/route.ts'
import { filtersHtml, filledIn, timeIn, timesIn } from './query.tsx'
import { eventLink, explainHref, inEnglish, ruleHtml, shownTime } from './page.tsx'
import { auditPages, type AuditVisits } from './visits.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'

export type AuditRefusalNeeds = {
  readonly refusals: (filter: RefusalFilter, limit: number) => Promise<readonly ExplainedRefusal[]>
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
const againHtml = ({ again, rule }: ExplainedRefusal, texts: Catalogue['auditor']): Html => {
  if (!again) return null
  const { asked, then, position, refused, events } = again
  const codes = refused?.join(', ') ?? ''
  const rules = refused?.includes(rule) ? texts.decidedSame({ rules: codes }) : codes
  const verdict = refused
    ? texts.decidedRefused({ rules })
    : texts.decidedAllowed({ events: events.join(', ') || texts.decidedNothing })
  const asOf =
    position === undefined ? texts.beforeFirst : filled(texts.asOf, { event: eventLink(position) })
  return [
    <p>{filled(texts.asked, { what: inEnglish(asked) })}</p>,
    then !== '' && <p>{filled(texts.then, { what: inEnglish(then) })}</p>,
    <p>{asOf}</p>,
    <p>
      <b>{verdict}</b>
    </p>,
  ]
}

const refusalHtml = (refusal: ExplainedRefusal, language: Language): Html => {
  const texts = textsIn[language].auditor
  const { at, actor, merchant, method, path, target, status, rule, stream, revision } = refusal
  const about =
    stream !== undefined &&
    filled(texts.about, {
      subject: <a href={explainHref(stream)}>{stream}</a>,
      revision: revision ?? '',
    })
  const who = merchant === null ? actor : texts.actorOf({ actor, merchant })
  return (
    <li>
      <p class="when">
        {shownTime(Date.parse(at))} · {status} · {texts.request({ id: refusal.request })}
      </p>
      <p class="says">{rule}</p>
      <p>{ruleHtml(rule, language)}</p>
      <p class="quiet small">
        {who} · {method} {target ?? path}
      </p>
      {about ? <p>{about}</p> : null}
      {againHtml(refusal, texts)}
    </li>
  )
}

const filterOf = (values: z.output<typeof query>, now: number): RefusalFilter => {
  const at = timeIn('at', values.at)
  const { from = now - dayMs, to = Infinity } = timesIn(values)
  const who = { merchant: filledIn(values.merchant), actor: filledIn(values.actor) }
  if (at === undefined) return { from, to, ...who }
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
        const values = call.query
        const found = await needs.refusals(filterOf(values, call.at), onPage)
        const fields = [
          { name: 'at', label: texts.second, example: '2026-05-17 12:03:11', value: values.at },
          { name: 'since', label: texts.since, value: values.since },
          { name: 'until', label: texts.until, value: values.until },
          { name: 'merchant', label: texts.merchant, value: values.merchant },
          { name: 'actor', label: texts.ofWhom, example: 'user:pos1', value: values.actor },
        ]
        const body = [
          <h1>{texts.refusals}</h1>,
          filtersHtml('/audit/refusals', fields, texts.show),
          found.length === 0 ? (
            <Quiet text={texts.notRefused} />
          ) : (
            <section class="card">
              <ol class="entries">{found.map((one) => refusalHtml(one, language))}</ol>
            </section>
          ),
          found.length === onPage && <Quiet text={texts.newestOnly({ count: onPage })} />,
        ]
        return { title: texts.refusals, body, json: { refusals: found } }
      }),
  })
