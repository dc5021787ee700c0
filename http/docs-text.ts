import { html } from 'hono/html'

export type Html = ReturnType<typeof html>

/** Where a heading or a group can be linked to. */
export const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/\W+/g, '-')

/** A line or paragraph of CommonMark as far as this interface uses it: code between backticks. */
export const inline = (text: string): Html =>
  html`${text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))}`

const items = (text: string): Html[] =>
  text
    .split(/^(?:- |\d+\. )/m)
    .slice(1)
    .map((item) => html`<li>${inline(item)}</li>`)

const block = (text: string): Html | string => {
  if (text.startsWith('## '))
    return html`<h2 id="${anchorOf(text.slice(3))}">${inline(text.slice(3))}</h2>`
  if (text.startsWith('- '))
    return html`<ul>
      ${items(text)}
    </ul>`
  if (/^\d+\. /.test(text))
    return html`<ol>
      ${items(text)}
    </ol>`
  return text === '' ? '' : html`<p>${inline(text)}</p>`
}

/** Of a text in CommonMark: headings of the second level, paragraphs, flat lists, fenced code. */
export const textAsHtml = (text: string): Html =>
  html`${text.split(/^```\n([^]*?)\n```$/m).flatMap((part, n) =>
    n % 2 === 1
      ? html`<pre>${part}</pre>`
      : part
          .trim()
          .split(/\n{2,}/)
          .map(block),
  )}`

/** The titles of the sections of such a text. */
export const titlesIn = (text: string): string[] =>
  [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title)
