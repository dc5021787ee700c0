import { html } from 'hono/html'
import type { Instant } from '../../../domain/time.ts'
import type { Html } from '../../ui/page.ts'
import { hiddenFields } from '../../payer/session.ts'
import { filled } from '../../ui/words.ts'
import { choiceField, type Choice } from '../parts.ts'
import {
  addressOf,
  oftenAsked,
  shortcuts,
  statuses,
  type Asked,
  type Days,
  type Filters,
} from './query.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type Shown = {
  readonly texts: Catalogue['payments']
  /** Of the list. */
  readonly path: string
  readonly filters: Filters
  readonly problems: Asked['problems']
  /** By whose clocks a day begins. */
  readonly timeZone: string
  readonly at: Instant
  /** Id and name of those to choose from. */
  readonly pointsOfSale: readonly (readonly [id: string, name: string])[]
}

const states = {
  pending: 'waiting',
  auth: 'reserved',
  ok: 'paid',
  refunded: 'refunded',
  fail: 'failed',
} as const satisfies Readonly<Record<(typeof statuses)[number], string>>

/** A link for each status, which keeps the other filters. */
export const tabsHtml = ({ texts, path, filters }: Shown): Html => {
  const tab = (status: string, name: string): Html =>
    html`<a
      href="${addressOf(path, filters, { status })}"
      ${filters.status === status ? html`aria-current="true"` : ''}
      >${name}</a
    >`
  return html`<nav class="tabs" aria-label="${texts.status}">
    ${tab('', texts.all)} ${statuses.map((status) => tab(status, texts[`state_${states[status]}`]))}
  </nav>`
}

const anyDay: Days = { since: '', until: '' }

/** Days and orders that are often asked for, as links which keep the other filters. */
export const shortcutsHtml = ({ texts, path, filters, timeZone, at }: Shown): Html => {
  const link = (name: string, changes: Partial<Filters>): Html => {
    const isCurrent = Object.entries({ ...filters, ...changes }).every(
      ([key, value]) => filters[key as keyof Filters] === value,
    )
    return html`<a
      href="${addressOf(path, filters, changes)}"
      ${isCurrent ? html`aria-current="true"` : ''}
      >${name}</a
    >`
  }
  const days = oftenAsked(timeZone, at)
  return html`<div class="shortcuts">
    <nav aria-label="${texts.day}">
      ${link(texts.anyDay, anyDay)} ${shortcuts.map((name) => link(texts[name], days[name]))}
    </nav>
    <nav aria-label="${texts.sort}">
      ${link(texts.newest, { sort: '' })} ${link(texts.largest, { sort: 'largest' })}
    </nav>
  </div>`
}

type Field = {
  readonly name: keyof Filters
  readonly label: string
  readonly attributes: Html | string
}

const fieldHtml = ({ texts, filters, problems }: Shown, field: Field): Html => {
  const { name, label, attributes } = field
  const problem = problems[name]
  const wrong =
    problem === undefined ? '' : html`aria-invalid="true" aria-describedby="${name}-problem"`
  return html`<div>
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${filters[name]}" ${attributes} ${wrong} />
    ${
      problem === undefined
        ? ''
        : html`<p id="${name}-problem" class="wrong small">${texts[problem]}</p>`
    }
  </div>`
}

const choiceHtml = (name: keyof Filters, label: string, chosen: string, of: readonly Choice[]) =>
  html`<div>${choiceField(name, label, chosen, of)}</div>`

const moreNames = ['pos', 'since', 'until', 'least', 'most', 'sort'] as const

/** Whether something is set that no shortcut shows. */
const isOpen = ({ filters, timeZone, at }: Shown): boolean => {
  const { pos, since, until, least, most } = filters
  const known = [anyDay, ...Object.values(oftenAsked(timeZone, at))]
  const isKnown = known.some((days) => days.since === since && days.until === until)
  return !isKnown || [pos, least, most].some((value) => value !== '')
}

/** The search, and the other filters below it, open when one is set. */
export const filtersHtml = (shown: Shown): Html => {
  const { texts, path, filters, pointsOfSale, timeZone } = shown
  const set = moreNames.filter((name) => filters[name] !== '').length
  const amount = html`inputmode="decimal" autocomplete="off"`
  const known = pointsOfSale.some(([id]) => id === filters.pos)
  const others: readonly Choice[] =
    filters.pos === '' || known ? pointsOfSale : [...pointsOfSale, [filters.pos, filters.pos]]
  return html`<form class="find" method="get" action="${path}" role="search">
    ${filters.status === '' ? '' : hiddenFields({ status: filters.status })}
    <div class="find-text">
      <label class="unseen" for="q">${texts.search}</label>
      <input id="q" name="q" type="search" value="${filters.q}" placeholder="${texts.searchHint}" />
      <button>${texts.show}</button>
    </div>
    <details ${isOpen(shown) ? html`open` : ''}>
      <summary>${texts.filters}${set > 0 ? html` <span class="count">${set}</span>` : ''}</summary>
      <div class="find-more">
        ${fieldHtml(shown, { name: 'since', label: texts.sinceDay, attributes: html`type="date"` })}
        ${fieldHtml(shown, { name: 'until', label: texts.untilDay, attributes: html`type="date"` })}
        ${fieldHtml(shown, { name: 'least', label: texts.amountFrom, attributes: amount })}
        ${fieldHtml(shown, { name: 'most', label: texts.amountTo, attributes: amount })}
        ${choiceHtml('pos', texts.pos, filters.pos, [['', texts.allPos], ...others])}
        ${choiceHtml('sort', texts.sort, filters.sort, [
          ['', texts.newest],
          ['largest', texts.largest],
        ])}
      </div>
      <p class="quiet small">${filled(texts.daysAre, { timeZone })}</p>
      <div class="find-go">
        <button class="second">${texts.show}</button>
        <a href="${path}">${texts.clear}</a>
      </div>
    </details>
  </form>`
}
