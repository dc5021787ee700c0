import type { Visits } from '../../payer/session.ts'
import type { Route } from '../../../http/route.ts'
import { operatorPages, type OperatorNeeds, type OperatorVisitor, type PageOf } from '../pages.ts'
import { entriesFile, entriesQuery, type JournalNeeds } from './query.ts'
import { entriesPage } from './entries.ts'
import { seeing, storyRoutes, type StoryNeeds } from './story.ts'
import { html } from 'hono/html'
import { z } from 'zod'
import { accounts, type Account } from '../../../domain/accounting/journal.ts'
import { addUp, negated, type Sum } from '../../../domain/money/money.ts'
import { dayOf } from '../../../domain/time.ts'
import type { TrialBalance } from '../../../projections/journal.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf } from '../../../http/call.ts'
import { asked } from '../../ui/fields.ts'
import type { Html } from '../../ui/page.ts'
import { dayText, sumText } from '../../portal/money-parts.ts'
import { headedTable, scrolling } from '../../portal/parts.ts'
import { operatorPath } from '../areas.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type TrialBalanceNeeds = Pick<Queries['accounting'], 'journalDays'>

const trialBalanceQuery = z.object({
  day: asked('At the end of this booking day; else of today.'),
})

const isCredit = (sum: Sum): boolean => sum.startsWith('-')

const currencyHtml = (
  { currency, balances, imbalance }: TrialBalance,
  visitor: OperatorVisitor,
  day: string,
): Html => {
  const texts = textsIn[visitor.language].journal
  const shown = (sum: Sum) => sumText(sum, currency, visitor)
  const rows = accounts.map((account: Account) => [account, balances[account] ?? '0'] as const)
  const debits = addUp(...rows.map(([, sum]) => (isCredit(sum) ? '0' : sum)))
  const credits = addUp(...rows.map(([, sum]) => (isCredit(sum) ? negated(sum) : '0')))
  const href = (account: Account) =>
    operatorPath(`journal/entries?${new URLSearchParams({ account, until: day })}`)
  const rowsHtml = rows.map(
    ([account, sum]) =>
      html`<tr>
        <th scope="row"><a href="${href(account)}">${texts[`account_${account}`]}</a></th>
        <td class="number">${isCredit(sum) || sum === '0' ? '' : shown(sum)}</td>
        <td class="number">${isCredit(sum) ? shown(negated(sum)) : ''}</td>
      </tr>`,
  )
  const sumHtml = html`<tr class="sum">
    <th scope="row">${texts.sum}</th>
    <td class="number"><b>${shown(debits)}</b></td>
    <td class="number"><b>${shown(credits)}</b></td>
  </tr>`
  const heads = [texts.account, { number: texts.debit }, { number: texts.credit }]
  const table = headedTable('grid balance', heads, [...rowsHtml, sumHtml])
  return html`<section class="card">
    <h2>${currency}</h2>
    ${
      imbalance === '0'
        ? html`<p class="state good">${texts.balanced}</p>`
        : html`<p class="problem" role="alert">
            ${texts.unbalanced({ amount: shown(imbalance) })}
          </p>`
    }
    ${scrolling(`${texts.trialBalance} ${currency}`, table)}
  </section>`
}

const trialBalancePage: PageOf<TrialBalanceNeeds> = ({ journalDays }, visitor, call) => {
  const texts = textsIn[visitor.language].journal
  const given = searchOf(call).get('day') ?? ''
  const isDay = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(given)
  const day = isDay ? given : dayOf(call.at)
  const found = journalDays.trialBalanceAt(day)
  return {
    title: texts.trialBalance,
    body: html`<div class="head">
        <h1>${texts.trialBalance}</h1>
        <a class="button second slim" href="${operatorPath('journal/entries')}">${texts.entries}</a>
      </div>
      <form class="choices" method="get" action="${operatorPath('journal')}">
        <div>
          <label for="day">${texts.until}</label>
          <input id="day" name="day" type="date" value="${day}" aria-describedby="day-hint" />
        </div>
        <button class="second">${texts.show}</button>
      </form>
      <p id="day-hint" class="quiet small">${dayText(day, visitor)}. ${texts.untilWhat}</p>
      ${found.length === 0 ? html`<p class="card quiet">${texts.nothingPosted}</p>` : ''}
      ${found.map((one) => currencyHtml(one, visitor, day))}`,
  }
}

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
