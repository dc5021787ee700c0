import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import { operatorPages, type OperatorNeeds } from '../pages.ts'
import { entriesFile } from './csv.ts'
import { entriesPage } from './entries.ts'
import { entriesQuery, type JournalNeeds } from './query.ts'
import { seeing, storyRoutes, type StoryNeeds } from './story.ts'
import { trialBalancePage, trialBalanceQuery, type TrialBalanceNeeds } from './trial-balance.ts'

type OperatorJournalNeeds = OperatorNeeds & TrialBalanceNeeds & JournalNeeds & StoryNeeds

const entries = '/operator/journal/entries'

/** The books: what every account holds, the entries, and what each is of. */
export const operatorJournalRoutes = (needs: OperatorJournalNeeds, visits: Visits): Route[] => {
  const pages = operatorPages(needs, visits)
  const { page } = pages
  return [
    page(
      {
        ...seeing,
        path: '/operator/journal',
        summary: 'The trial balance at the end of a day',
        ownQuery: trialBalanceQuery,
      },
      async (visitor, call) => trialBalancePage(needs, visitor, call),
    ),
    page(
      {
        ...seeing,
        path: entries,
        summary: 'Entries of the journal, the newest first',
        ownQuery: entriesQuery,
      },
      async (visitor, call) => entriesPage(needs, visitor, call),
    ),
    page(
      {
        ...seeing,
        path: `${entries}.csv`,
        summary: 'Entries of the journal, as CSV',
        ownQuery: entriesQuery.omit({ before: true }),
        replyTypes: ['text/csv', 'text/html'],
      },
      async (_, call) => entriesFile(needs, call),
    ),
    ...storyRoutes(needs, pages),
  ]
}
