import { html } from 'hono/html'
import type { Html } from './page.ts'

/** A text with its `{}` filled in, in order. */
export const filled = (text: string, ...parts: readonly (Html | string | number)[]): Html =>
  html`${text.split('{}').flatMap((piece, at) => (at === 0 ? [piece] : [parts[at - 1] ?? '', piece]))}`

/** Read aloud and not shown: it tells buttons apart that look alike. */
export const unseen = (text: Html | string): Html => html`<span class="unseen">${text}</span>`
