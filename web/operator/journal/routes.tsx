import { Card, Done, Link, Table, Wrong, type Row, type Html, Title } from '../../ui/components.tsx'
import type { Visits } from '../../payer/session.tsx'
import type { Route } from '../../../http/route.ts'
import { operatorPages, type OperatorNeeds, type OperatorVisitor, type PageOf } from '../pages.tsx'
import { entriesFile, entriesQuery, type JournalNeeds } from './query.ts'
import { entriesPage } from './entries.tsx'
import { seeing, storyRoutes, type StoryNeeds } from './story.tsx'
import { z } from 'zod'
import { accounts, type Account } from '../../../domain/accounting/journal.ts'
import { addUp, negated, type Sum } from '../../../domain/money/money.ts'
import { dayOf } from '../../../domain/time.ts'
import type { TrialBalance } from '../../../projections/journal.ts'
import type { Queries } from '../../../projections/read-models.ts'
import { searchOf } from '../../../http/call.ts'
import { anyText } from '../../ui/fields.tsx'
import { dayText, sumText } from '../../portal/money-parts.tsx'
import { operatorPath } from '../areas.ts'
import { textsIn } from '../../../texts/catalogue.ts'

type TrialBalanceNeeds = Pick<Queries['accounting'], 'journalDays'>

const trialBalanceQuery = z.object({
  day: anyText('At the end of this booking day; else of today.'),
})

const isCredit = (sum: Sum): boolean => sum.startsWith('-')

const currencyHtml = (
  { currency, balances, imbalance }: TrialBalance,
  visitor: OperatorVisitor,
  day: string,
): Html => {
  const texts = textsIn[visitor.language].journal
  const sumOf = (sum: Sum) => sumText(sum, currency, visitor)
  const rows = accounts.map((account: Account) => [account, balances[account] ?? '0'] as const)
  const debits = addUp(...rows.map(([, sum]) => (isCredit(sum) ? '0' : sum)))
  const credits = addUp(...rows.map(([, sum]) => (isCredit(sum) ? negated(sum) : '0')))
  const href = (account: Account) =>
    operatorPath(`journal/entries?${new URLSearchParams({ account, until: day })}`)
  const rowsHtml = rows.map(([account, sum]): Row => [
    { head: <a href={href(account)}>{texts[`account_${account}`]}</a> },
    { number: !(isCredit(sum) || sum === '0') && sumOf(sum) },
    { number: isCredit(sum) && sumOf(negated(sum)) },
  ])
  rowsHtml.push({
    kind: 'sum',
    cells: [
      { head: texts.sum },
      { number: <b>{sumOf(debits)}</b> },
      { number: <b>{sumOf(credits)}</b> },
    ],
  })
  const heads = [texts.account, { number: texts.debit }, { number: texts.credit }]
  return (
    <Card title={currency}>
      {imbalance === '0' ? (
        <Done text={texts.balanced} />
      ) : (
        <Wrong text={texts.unbalanced({ amount: sumOf(imbalance) })} />
      )}
      <Table
        label={`${texts.trialBalance} ${currency}`}
        kind="grid balance"
        heads={heads}
        rows={rowsHtml}
      />
    </Card>
  )
}

const trialBalancePage: PageOf<TrialBalanceNeeds> = ({ journalDays }, visitor, call) => {
  const texts = textsIn[visitor.language].journal
  const typed = searchOf(call).get('day') ?? ''
  const isDay = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(typed)
  const day = isDay ? typed : dayOf(call.at)
  const found = journalDays.trialBalanceAt(day)
  return {
    title: texts.trialBalance,
    body: [
      <Title text={texts.trialBalance}>
        <Link
          class="button second slim"
          href={operatorPath('journal/entries')}
          text={texts.entries}
        />
      </Title>,
      <form class="choices" method="get" action={operatorPath('journal')}>
        <div>
          <label for="day">{texts.until}</label>
          <input id="day" name="day" type="date" value={day} aria-describedby="day-hint" />
        </div>
        <button class="second">{texts.show}</button>
      </form>,
      <p id="day-hint" class="quiet small">
        {dayText(day, visitor)}. {texts.untilWhat}
      </p>,
      found.length === 0 && <p class="card quiet">{texts.nothingPosted}</p>,
      found.map((one) => currencyHtml(one, visitor, day)),
    ],
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
