import type { Html } from './components.tsx'
import type { Text } from '../../texts/message.ts'

/** A text with its values, which may be HTML; all else is escaped. */
export const filled = <Name extends string>(
  text: Text<Name>,
  values: Readonly<Record<Name, Html>>,
): Html => (typeof text === 'string' ? text : ([...text.parts(values)] as Html[]))

/** For screen readers only: distinguishes buttons that look alike. */
export const unseen = (text: Html): Html => <span class="unseen">{text}</span>

/** What an address tells as done: the text of the first of these names that stands in it. */
export const doneIn = (
  search: URLSearchParams,
  texts: Readonly<Record<string, string>>,
): string | undefined => Object.entries(texts).find(([name]) => search.has(name))?.[1]
