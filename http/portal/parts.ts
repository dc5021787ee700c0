import { html } from 'hono/html'
import type { Html } from '../payer/page.ts'

/** A table with a head for each column; `kind` is its class. */
export const headedTable = (
  kind: string,
  heads: readonly (Html | string)[],
  rows: readonly Html[],
): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`

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
