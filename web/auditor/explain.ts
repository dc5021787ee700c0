import { html } from 'hono/html'
import { z } from 'zod'
import type { Story, SumOfParts } from '../../audit/explain/story.ts'
import { refuse } from '../../domain/refusal.ts'
import type { Route } from '../../http/route.ts'
import { explainForm } from './filters.ts'
import { givenIn } from './query.ts'
import { storyHtml, sumHtml } from './story-html.ts'
import { auditPages, notSignedIn, type AuditVisits, type Shown } from './visits.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'

export type AuditExplainNeeds = {
  readonly caughtUp: () => Promise<void>
  /** Undefined when there is no such thing. */
  readonly explain: (subject: string, language: Language) => Promise<Story | undefined>
  readonly sumUp: (
    subject: string,
    story: Story,
    number: string,
    language: Language,
  ) => Promise<SumOfParts | undefined>
}

const query = z.object({
  subject: z
    .string()
    .max(200)
    .optional()
    .meta({ description: `What to explain: ${textsIn.en.story.subjects}.` }),
  number: z.string().max(100).optional().meta({ description: 'A number of it, such as `payout`.' }),
})

const form = (subject: string | undefined, texts: Catalogue['auditor']) =>
  explainForm(texts.explainWhat, texts, subject)

/** Stories in plain words, and what adds up to their numbers. */
export const auditExplainRoute = (needs: AuditExplainNeeds, visits: AuditVisits): Route => {
  const told = async (
    subject: string,
    number: string | undefined,
    language: Language,
  ): Promise<Shown> => {
    const texts = textsIn[language].auditor
    await needs.caughtUp()
    const story = (await needs.explain(subject, language)) ?? refuse('resource_is_unknown')
    if (number === undefined) {
      const body = html`${form(subject, texts)} ${storyHtml(subject, story, texts)}`
      return { title: story.title, body, json: story }
    }
    const sum =
      (await needs.sumUp(subject, story, number, language)) ?? refuse('resource_is_unknown')
    const title = texts.numberOf({ name: sum.name, title: story.title })
    const body = html`${form(subject, texts)} ${sumHtml(subject, story, sum, texts)}`
    return { title, body, json: sum }
  }

  return auditPages.get('/audit/explain', {
    summary: 'What has happened to something, in plain words',
    query,
    errors: { ...notSignedIn, 404: 'There is no such thing.' },
    handle: (call) =>
      visits.look(call, async (language) => {
        const texts = textsIn[language].auditor
        const { subjects } = textsIn[language].story
        const subject = givenIn(call.query.subject)
        if (subject !== undefined) return told(subject, givenIn(call.query.number), language)
        const body = html`<h1>${texts.explain}</h1>
          ${form(undefined, texts)}
          <p class="quiet">${texts.explainGive({ subjects })}</p>`
        return { title: texts.explain, body, json: { subjects } }
      }),
  })
}
