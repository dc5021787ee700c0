import { html } from 'hono/html'
import type { Entry, Story, SumOfParts } from '../../audit/explain/story.ts'
import { isInSentences } from '../../audit/explain/event-words.ts'
import { asSentence, withCapital } from '../../audit/explain/sentence.ts'
import type { Html } from '../ui/page.ts'
import { withMinus } from '../ui/formats.ts'
import { headedTable } from '../portal/parts.ts'
import { filled } from '../ui/words.ts'
import { eventLink, explainHref, inEnglish, shownTime } from './page.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

const changesHtml = ({ numbers }: Entry): Html | '' =>
  numbers.length === 0
    ? ''
    : html`<ul class="changes">
        ${numbers.map(
          ({ name, from, to }) => html`<li><code>${name}</code> ${from} → <b>${to}</b></li>`,
        )}
      </ul>`

const toldHtml = ({ told, counted }: Entry, texts: Catalogue['auditor']): Html | '' => {
  if (told.length + counted.length === 0) return ''
  return html`<ul class="told">
    ${counted.map((one) => html`<li>${texts.counted({ where: one })}</li>`)}
    ${told.map(({ at, says }) => html`<li>${at === null ? '' : shownTime(at)} ${says}</li>`)}
  </ul>`
}

/** What an event tells: in English where it has no sentence of its own. */
export const saysHtml = ({ type, says }: Pick<Entry, 'type' | 'says'>): Html | string =>
  isInSentences(type) ? asSentence(says) : inEnglish(withCapital(says))

const entryHtml = (entry: Entry, texts: Catalogue['auditor']): Html =>
  html`<li>
    <p class="when">
      ${shownTime(entry.at)} · ${filled(texts.eventOf, { event: eventLink(entry.position) })} ·
      ${entry.type}
    </p>
    <p class="says">${saysHtml(entry)}</p>
    <p class="quiet small">${texts.by({ who: entry.who })} · ${entry.why}</p>
    ${changesHtml(entry)} ${toldHtml(entry, texts)}
  </li>`

const numbersHtml = (
  subject: string,
  { numbers }: Story,
  texts: Catalogue['auditor'],
): Html | '' =>
  numbers.length === 0
    ? ''
    : html`<section class="card">
        <h2>${texts.numbers}</h2>
        <p class="quiet small">${texts.numbersWhat}</p>
        <table class="plain">
          ${numbers.map(
            ({ name, currency, value }) =>
              html`<tr>
                <td><a href="${explainHref(subject, `${name}:${currency}`)}">${name}</a></td>
                <td>${withMinus(value)} ${currency}</td>
              </tr>`,
          )}
        </table>
      </section>`

export const storyHtml = (subject: string, story: Story, texts: Catalogue['auditor']): Html =>
  html`<h1>${asSentence(story.title)}</h1>
    ${story.says.map((one) => html`<p>${asSentence(one)}</p>`)}
    <div class="story">
      <section class="card">
        <h2>${texts.happened}</h2>
        <ol class="entries">
          ${story.entries.map((entry) => entryHtml(entry, texts))}
        </ol>
        ${story.more > 0 ? html`<p class="quiet">${texts.more({ count: story.more })}</p>` : ''}
      </section>
      ${numbersHtml(subject, story, texts)}
    </div>`

const verdictHtml = ({ agrees, says }: SumOfParts, texts: Catalogue['auditor']): Html => {
  if (agrees === null) return html`<p class="note">${says}</p>`
  const [kind, text] = agrees ? ['good', texts.sumAdds] : ['bad', texts.sumAddsNot]
  return html`<p class="state ${kind}">
    <span>${text}<small>${says}</small></span>
  </p>`
}

const sumRow = (says: string, amount: string, kind = ''): Html =>
  html`<tr class="${kind}">
    <td></td>
    <td></td>
    <td>${says}</td>
    <td>${withMinus(amount)}</td>
  </tr>`

export const sumHtml = (
  subject: string,
  { title }: Story,
  sum: SumOfParts,
  texts: Catalogue['auditor'],
): Html => {
  const { others, parts } = sum
  const rows = parts.map(
    ({ position, at, says, amount }) =>
      html`<tr>
        <td>${eventLink(position)}</td>
        <td>${shownTime(at)}</td>
        <td>${says}</td>
        <td>${withMinus(amount)}</td>
      </tr>`,
  )
  if (others) rows.push(sumRow(texts.moreLines({ count: others.count }), others.amount))
  rows.push(sumRow(sum.name, sum.value, 'sum'))
  return html`<h1>${texts.numberOf({ name: sum.name, title })}</h1>
    ${verdictHtml(sum, texts)}
    <div class="card scroll sums">
      ${headedTable('', [texts.oneEvent, texts.time, texts.what, sum.currency], rows)}
    </div>
    <p><a href="${explainHref(subject)}">${texts.wholeStory}</a></p>`
}
