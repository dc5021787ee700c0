import { html } from 'hono/html'
import type { Text } from '../../texts/message.ts'
import type { Html } from './page.ts'

/** A text with its values, which may be HTML; all else is escaped. */
export const filled = <Name extends string>(
  text: Text<Name>,
  values: Readonly<Record<Name, Html | string | number>>,
): Html => html`${typeof text === 'string' ? text : text.parts(values)}`

/** For screen readers only: distinguishes buttons that look alike. */
export const unseen = (text: Html | string): Html => html`<span class="unseen">${text}</span>`

/** What an address tells as done: the text of the first of these names that stands in it. */
export const doneIn = (
  search: URLSearchParams,
  texts: Readonly<Record<string, string>>,
): string | undefined => Object.entries(texts).find(([name]) => search.has(name))?.[1]
