import { html, raw } from 'hono/html'
import { inputField, type Field } from '../payer/fields.ts'
import type { Html } from '../payer/page.ts'

/** Over a column of text, or of numbers. */
export type Head = Html | string | { readonly number: string }

const headHtml = (head: Head): Html =>
  typeof head === 'object' && 'number' in head
    ? html`<th scope="col" class="number">${head.number}</th>`
    : html`<th scope="col">${head}</th>`

const nameOf = (head: Head | undefined): string => {
  if (typeof head === 'string') return head
  return typeof head === 'object' && 'number' in head ? head.number : ''
}

/** A row whose cells have the names of their columns, for where rows become blocks. */
const namedCells = async (row: Html, heads: readonly Head[]): Promise<Html> => {
  const names = heads.map(nameOf)
  let column = -1
  const named = (await row).toString().replace(/<t([dh])(?=[\s>])/g, (cell, kind: string) => {
    column += 1
    const name = kind === 'd' ? (names[column] ?? '') : ''
    return name === '' ? cell : `${cell}${html` data-label="${name}"`}`
  })
  return raw(named)
}

/**
 * A table with a head for each column; `kind` is its class. On a phone rows of those that stack
 * become blocks, where each value has the name of its column beside it.
 */
export const headedTable = (kind: string, heads: readonly Head[], rows: readonly Html[]): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${heads.map(headHtml)}
      </tr>
    </thead>
    <tbody>
      ${kind.split(' ').includes('stacks') ? rows.map((row) => namedCells(row, heads)) : rows}
    </tbody>
  </table>`

/** A table that scrolls where it does not fit; `label` names it. */
export const scrolling = (label: string, table: Html): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`

/** The pages that lead to this one, the nearest last. */
export const crumbs = (...links: readonly (readonly [href: string, name: string])[]): Html =>
  html`<p class="crumbs">${links.map(([href, name]) => html`<a href="${href}">${name}</a>`)}</p>`

/** What somebody wants to know before they send a form, each under its head. */
export type Beside = readonly (readonly [head: string, says: readonly (Html | string)[]])[]

/** A form, and beside it on a wide screen what it does, costs, and leads to. */
export const formSheet = (form: Html, beside: Beside): Html =>
  html`<div class="sheet">
    ${form}
    <aside class="card notes">
      ${beside.map(
        ([head, says]) =>
          html`<h2>${head}</h2>
            ${says.map((one) => html`<div>${one}</div>`)}`,
      )}
    </aside>
  </div>`

export type Choice = readonly [value: string, name: string]

/** One of several, with its label. */
export const choiceField = (
  name: string,
  label: string,
  chosen: string,
  of: readonly Choice[],
): Html =>
  html`<label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${of.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`,
      )}
    </select>`

const zones = Intl.supportedValuesOf('timeZone')

/** A time zone of the IANA database, typed or out of a list. */
export const timeZoneField = (field: Omit<Field, 'name'>): Html =>
  html`${inputField({
      ...{ ...field, name: 'time_zone' },
      attributes: html`${field.attributes} list="zones" maxlength="64" autocomplete="off"
      spellcheck="false" required`,
    })}
    <datalist id="zones">${zones.map((zone) => html`<option value="${zone}"></option>`)}</datalist>`

export type Fact = readonly [name: string, value: Html | string]

/** Names and values; `kind` is the class of their list. */
export const factList = (kind: string, facts: readonly Fact[]): Html =>
  html`<dl class="${kind}">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
