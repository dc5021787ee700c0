import { html } from 'hono/html'
import type { Visits } from '../payer/session.ts'
import type { Route } from '../route.ts'
import { operatorPages, type OperatorNeeds } from './pages.ts'
import { operatorTexts } from './texts.ts'

export type OperatorOverviewNeeds = OperatorNeeds

/** What waits, and how the service is. */
export const operatorOverviewRoutes = (needs: OperatorOverviewNeeds, visits: Visits): Route[] => {
  const { page } = operatorPages(needs, visits)
  return [
    page(
      {
        path: '/operator/',
        summary: 'What waits for the operator',
        action: 'see_overview',
        area: 'overview',
      },
      async ({ language }) => {
        const texts = operatorTexts[language]
        return {
          title: texts.overview,
          body: html`<div class="head"><h1>${texts.overview}</h1></div>`,
        }
      },
    ),
  ]
}
