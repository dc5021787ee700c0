import { html } from 'hono/html'
import { accounts, type Posting } from '../../../domain/accounting/journal.ts'
import { negated } from '../../../domain/money/money.ts'
import type { FoundEntry } from '../../../projections/journal-entries.ts'
import type { Html } from '../../ui/page.ts'
import { dayText, sumText } from '../../portal/money-parts.ts'
import { choiceField, crumbs, moreLink, quiet, scrolling, type Choice } from '../../portal/parts.ts'
import { operatorPath } from '../areas.ts'
import { type OperatorVisitor, dayField, merchantField, type PageOf } from '../pages.ts'
import { storyHref } from '../payouts/list.ts'
import {
  csvEntries,
  askedIn,
  searchWith,
  wantedOf,
  type Asked,
  type JournalNeeds,
} from './query.ts'
import { eventHref } from './story.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'
import { plainText } from '../../../texts/message.ts'

const onPage = 50

const filterHtml = (asked: Asked, { language }: OperatorVisitor): Html => {
  const texts = textsIn[language].journal
  const ofAccounts = accounts.map((one): Choice => [one, texts[`account_${one}`]])
  return html`<form class="choices" method="get" action="${operatorPath('journal/entries')}">
    <div>
      ${choiceField('account', texts.account, asked.account, [['', texts.all], ...ofAccounts])}
    </div>
    ${merchantField(texts.merchant, asked.merchant)} ${dayField(texts.day, asked.day)}
    <button class="second">${texts.show}</button>
  </form>`
}

const actionText = (action: string, texts: Catalogue['journal']): string =>
  plainText(texts, `action_${action}`) ?? action

/** A payment or a settlement has a story; any other entry is one event. */
const subjectHtml = ({ tags, merchant, serial, position }: FoundEntry): Html => {
  const { tid, settlement } = tags
  if (tid !== null) return html`<a href="${storyHref(tid)}"><code>${tid}</code></a>`
  if (serial !== null)
    return html`<a href="${storyHref(`${merchant}/${serial}`)}">${settlement ?? serial}</a>`
  return html`<a href="${eventHref(position)}">${position}</a>`
}

const postingHtml = (posting: Posting, visitor: OperatorVisitor): Html => {
  const { account, amount, currency } = posting
  const isCredit = amount.startsWith('-')
  const shown = sumText(isCredit ? negated(amount) : amount, currency, visitor)
  return html`<tr>
    <td>${textsIn[visitor.language].journal[`account_${account}`]}</td>
    <td class="number">${isCredit ? '' : shown}</td>
    <td class="number">${isCredit ? shown : ''}</td>
  </tr>`
}

const entryHtml = (needs: JournalNeeds, visitor: OperatorVisitor, entry: FoundEntry): Html => {
  const texts = textsIn[visitor.language].journal
  const { position, day, action, merchant, postings } = entry
  return html`<tbody>
    <tr class="entry">
      <th scope="rowgroup" colspan="3">
        ${dayText(day, visitor)} · ${actionText(action, texts)} ·
        <a href="${eventHref(position)}">${texts.event({ position })}</a>
        <span class="value">${needs.shopName(merchant)} · ${subjectHtml(entry)}</span>
      </th>
    </tr>
    ${postings.map((posting) => postingHtml(posting, visitor))}
  </tbody>`
}

const tableHtml = (
  needs: JournalNeeds,
  visitor: OperatorVisitor,
  entries: readonly FoundEntry[],
): Html => {
  const texts = textsIn[visitor.language].journal
  return scrolling(
    texts.entries,
    html`<table class="grid journal">
      <thead>
        <tr>
          <th scope="col">${texts.account}</th>
          <th scope="col" class="number">${texts.debit}</th>
          <th scope="col" class="number">${texts.credit}</th>
        </tr>
      </thead>
      ${entries.map((entry) => entryHtml(needs, visitor, entry))}
    </table>`,
  )
}

export const entriesPage: PageOf<JournalNeeds> = (needs, visitor, call) => {
  const texts = textsIn[visitor.language].journal
  const asked = askedIn(call)
  const { entries, next } = needs.journalEntries.find(wantedOf(needs, asked), onPage)
  const more = entries.length < onPage ? texts.lookOn : texts.older
  const older = operatorPath(`journal/entries?${searchWith(asked, next)}`)
  const csv = operatorPath(`journal/entries.csv?${searchWith(asked)}`)
  return {
    title: texts.entries,
    body: html`${crumbs([operatorPath('journal'), texts.trialBalance])}
      <div class="head">
        <h1>${texts.journal}</h1>
        <a class="button second slim" href="${csv}" download>${texts.csv}</a>
      </div>
      ${filterHtml(asked, visitor)}
      <section class="card">
        ${entries.length === 0 ? quiet(texts.noEntries) : tableHtml(needs, visitor, entries)}
        ${next === undefined ? '' : moreLink(older, more)}
        <p class="quiet small">${texts.csvWhat({ count: csvEntries })}</p>
      </section>`,
  }
}
