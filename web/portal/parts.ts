import { html, raw } from 'hono/html'
import { inputField, type Field } from '../ui/fields.ts'
import type { Html } from '../ui/page.ts'
import { hiddenFields } from '../payer/session.ts'
import type { FramedPage, LobbyVisitor } from '../staff/frame.ts'

export const card = (title: Html | string, body: Html | ''): Html =>
  html`<section class="card">
    <h2>${title}</h2>
    ${body}
  </section>`

export const quiet = (text: string): Html => html`<p class="quiet">${text}</p>`

/** On to what a list has no room for. */
export const moreLink = (href: string, text: string): Html =>
  html`<p><a class="lone" href="${href}">${text}</a></p>`

/** What has been done, if anything. */
export const doneHtml = (text: Html | string | undefined): Html | '' =>
  text === undefined ? '' : html`<p class="state good" role="status">${text}</p>`

/** Over a column of text or of numbers, or of one that not every screen has room for. */
type Head =
  | Html
  | string
  | { readonly number: string }
  | { readonly roomy: string; readonly isNumber?: boolean }

const headHtml = (head: Head): Html => {
  if (head === '') return html`<td></td>`
  if (typeof head === 'string') return html`<th scope="col">${head}</th>`
  if ('number' in head) return html`<th scope="col" class="number">${head.number}</th>`
  if (!('roomy' in head)) return html`<th scope="col">${head}</th>`
  const kind = head.isNumber ? 'number roomy' : 'roomy'
  return html`<th scope="col" class="${kind}">${head.roomy}</th>`
}

const nameOf = (head: Head): string => {
  if (typeof head === 'string') return head
  return 'number' in head ? head.number : ''
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

/** Kinds of tables whose rows become blocks on a phone. */
const isNamed = (kind: string): boolean => /\b(?:stacks|lines)\b/.test(kind)

/**
 * A table with a head for each column; `kind` is its class. On a phone rows of those that stack
 * become blocks, where each value has the name of its column beside it; those of lines have the
 * third value beside the head of the row, and the others below.
 */
export const headedTable = (kind: string, heads: readonly Head[], rows: readonly Html[]): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${heads.map(headHtml)}
      </tr>
    </thead>
    <tbody>
      ${isNamed(kind) ? rows.map((row) => namedCells(row, heads)) : rows}
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

type FormPart = {
  readonly title: string
  readonly action: string
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields: Html | ''
  readonly button: string
  readonly isDangerous?: boolean
  readonly isWrong?: boolean
  /** Where one goes without sending it. */
  readonly back: string
  readonly backText?: string
  readonly beside?: Beside | undefined
  readonly above?: Html
  readonly below?: Html | ''
}

/** A page of one form. */
export const formPage = (
  { csrf, texts }: Pick<LobbyVisitor, 'csrf' | 'texts'>,
  part: FormPart,
): FramedPage => {
  const { title, action, hidden, fields, button, isDangerous, isWrong, back, beside } = part
  const { backText = texts.cancel, above = '', below = '' } = part
  const form = html`<form class="card narrow-card" method="post" action="${action}">
    <h1>${title}</h1>
    ${hiddenFields({ csrf, ...hidden })} ${fields}
    <div class="actions">
      <button class="${isDangerous ? 'danger' : ''}">${button}</button>
      <a class="button second" href="${back}">${backText}</a>
    </div>
  </form>`
  const body = html`${above} ${beside ? formSheet(form, beside) : form} ${below}`
  return { title, status: isWrong ? 400 : 200, body }
}

type Check = {
  readonly type: 'radio' | 'checkbox'
  readonly name: string
  readonly value: string
  readonly isChosen: boolean
  readonly isRequired?: boolean
  readonly text: string
  /** What it means. */
  readonly what: string
}

export const checkField = ({ type, name, value, isChosen, isRequired, text, what }: Check): Html =>
  html`<label class="check"
    ><input
      type="${type}"
      name="${name}"
      value="${value}"
      ${isRequired ? 'required' : ''}
      ${isChosen ? 'checked' : ''}
    /><span>${text}<span class="value">${what}</span></span></label
  >`

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
