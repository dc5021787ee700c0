import { html } from 'hono/html'
import { z } from 'zod'
import { subjects } from '../../application/audit/explain.ts'
import type { Story, SumOfParts } from '../../application/audit/story.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Route } from '../route.ts'
import { explainForm } from './filters.ts'
import { filled } from './query.ts'
import { storyHtml, sumHtml } from './story-html.ts'
import { auditPages, notSignedIn, type AuditVisits, type Shown } from './visits.ts'

export type AuditExplainNeeds = {
  readonly caughtUp: () => Promise<void>
  /** Undefined when there is no such thing. */
  readonly explain: (subject: string) => Promise<Story | undefined>
  readonly sumUp: (subject: string, story: Story, number: string) => Promise<SumOfParts | undefined>
}

const query = z.object({
  subject: z
    .string()
    .max(200)
    .optional()
    .meta({ description: `What to explain: ${subjects}.` }),
  number: z.string().max(100).optional().meta({ description: 'A number of it, such as `payout`.' }),
})

const form = (subject: string | undefined) =>
  explainForm('A payment, report, settlement, account, callback or stream', subject)

/** Stories in plain words, and what adds up to their numbers. */
export const auditExplainRoute = (needs: AuditExplainNeeds, visits: AuditVisits): Route => {
  const told = async (subject: string, number: string | undefined): Promise<Shown> => {
    await needs.caughtUp()
    const story = (await needs.explain(subject)) ?? refuse('resource_is_unknown')
    if (number === undefined) {
      const body = html`${form(subject)} ${storyHtml(subject, story)}`
      return { title: story.title, body, json: story }
    }
    const sum = (await needs.sumUp(subject, story, number)) ?? refuse('resource_is_unknown')
    const title = `${sum.name} of ${story.title}`
    return { title, body: html`${form(subject)} ${sumHtml(subject, story, sum)}`, json: sum }
  }

  return auditPages.get('/audit/explain', {
    summary: 'What has happened to something, in plain words',
    query,
    errors: { ...notSignedIn, 404: 'There is no such thing.' },
    handle: (call) =>
      visits.look(call, async () => {
        const subject = filled(call.query.subject)
        if (subject !== undefined) return told(subject, filled(call.query.number))
        const body = html`<h1>Explain</h1>
          ${form(undefined)}
          <p class="quiet">Give ${subjects}.</p>`
        return { title: 'Explain', body, json: { subjects } }
      }),
  })
}
