import { html } from 'hono/html'
import type { Html } from './page.ts'

/** Fills each `{}` in order. */
export const filled = (text: string, ...parts: readonly (Html | string | number)[]): Html =>
  html`${text
    .split('{}')
    .flatMap((piece, at) => (at === 0 ? [piece] : [parts[at - 1] ?? '', piece]))}`

/** For screen readers only: distinguishes buttons that look alike. */
export const unseen = (text: Html | string): Html => html`<span class="unseen">${text}</span>`

/** What an address tells as done: the text of the first of these names that stands in it. */
export const doneIn = (
  search: URLSearchParams,
  texts: Readonly<Record<string, string>>,
): string | undefined => Object.entries(texts).find(([name]) => search.has(name))?.[1]
