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
