import {
  Crumbs,
  Link,
  MoreLink,
  Quiet,
  Scroll,
  type Row,
  Heads,
  Rows,
  type Html,
  Title,
} from '../../ui/components.tsx'
import { Choice, type Option } from '../../ui/fields.tsx'
import { accounts, type Posting } from '../../../domain/accounting/journal.ts'
import { negated } from '../../../domain/money/money.ts'
import type { FoundEntry } from '../../../projections/journal-entries.ts'
import { dayText, sumText } from '../../portal/money-parts.tsx'
import { operatorPath } from '../areas.ts'
import { type OperatorVisitor, dayField, merchantField, type PageOf } from '../pages.tsx'
import { storyHref } from '../payouts/list.tsx'
import {
  csvEntries,
  queryIn,
  searchWith,
  filterOf,
  type JournalQuery,
  type JournalNeeds,
} from './query.ts'
import { eventHref } from './story.tsx'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'
import { plainText } from '../../../texts/message.ts'

const onPage = 50

const filterHtml = (query: JournalQuery, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].journal
  const ofAccounts = accounts.map((one): Option => [one, texts[`account_${one}`]])
  return (
    <form class="choices" method="get" action={operatorPath('journal/entries')}>
      <div>
        <Choice
          name="account"
          label={texts.account}
          value={query.account}
          of={[['', texts.all], ...ofAccounts]}
        />
      </div>
      {merchantField(texts.merchant, query.merchant)}
      {dayField(texts.day, query.day)}
      <button class="second">{texts.show}</button>
    </form>
  )
}

const actionText = (action: string, texts: Catalogue['journal']): string =>
  plainText(texts, `action_${action}`) ?? action

/** A payment or a settlement has a story; any other entry is one event. */
const subjectHtml = ({ tags, merchant, serial, position }: FoundEntry): Html => {
  const { tid, settlement } = tags
  if (tid !== null)
    return (
      <a href={storyHref(tid)}>
        <code>{tid}</code>
      </a>
    )
  if (serial !== null)
    return <a href={storyHref(`${merchant}/${serial}`)}>{settlement ?? serial}</a>
  return <a href={eventHref(position)}>{position}</a>
}

const postingHtml = (posting: Posting, visitor: OperatorVisitor): Row => {
  const { account, amount, currency } = posting
  const isCredit = amount.startsWith('-')
  const sum = sumText(isCredit ? negated(amount) : amount, currency, visitor)
  return [
    textsIn[visitor.language].journal[`account_${account}`],
    { number: !isCredit && sum },
    { number: isCredit && sum },
  ]
}

const entryHtml = (needs: JournalNeeds, visitor: OperatorVisitor, entry: FoundEntry): Html => {
  const texts = textsIn[visitor.language].journal
  const { position, day, action, merchant, postings } = entry
  return (
    <tbody>
      <tr class="entry">
        <th scope="rowgroup" colspan={3}>
          {dayText(day, visitor)} · {actionText(action, texts)} ·{' '}
          <a href={eventHref(position)}>{texts.event({ position })}</a>{' '}
          <span class="value">
            {merchant !== '' && `${needs.shopName(merchant)} · `}
            {subjectHtml(entry)}
          </span>
        </th>
      </tr>
      <Rows rows={postings.map((posting) => postingHtml(posting, visitor))} />
    </tbody>
  )
}

const tableHtml = (
  needs: JournalNeeds,
  visitor: OperatorVisitor,
  entries: readonly FoundEntry[],
): Html => {
  const texts = textsIn[visitor.language].journal
  return (
    <Scroll label={texts.entries}>
      <table class="grid journal">
        <Heads heads={[texts.account, { number: texts.debit }, { number: texts.credit }]} />
        {entries.map((entry) => entryHtml(needs, visitor, entry))}
      </table>
    </Scroll>
  )
}

export const entriesPage: PageOf<JournalNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].journal
  const query = queryIn(call)
  const { entries, next } = needs.journalEntries.find(filterOf(needs, query), onPage)
  const more = entries.length < onPage ? texts.lookOn : texts.older
  const older = operatorPath(`journal/entries?${searchWith(query, next)}`)
  const csv = operatorPath(`journal/entries.csv?${searchWith(query)}`)
  return {
    title: texts.entries,
    body: [
      <Crumbs links={[[operatorPath('journal'), texts.trialBalance]]} />,
      <Title text={texts.journal}>
        <Link class="button second slim" href={csv} download text={texts.csv} />
      </Title>,
      filterHtml(query, visitor),
      <section class="card">
        {entries.length === 0 ? (
          <Quiet text={texts.noEntries} />
        ) : (
          tableHtml(needs, visitor, entries)
        )}
        {next !== undefined && <MoreLink href={older} text={more} />}
        <p class="quiet small">{texts.csvWhat({ count: csvEntries })}</p>
      </section>,
    ],
  }
}
