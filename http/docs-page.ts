import { html, raw } from 'hono/html'
import {
  operationText,
  schemaJson,
  webhookText,
  type Operation,
  type Schema,
} from './docs-operations.ts'
import { policy, style } from './docs-style.ts'
import { anchorOf, inline, textAsHtml, titlesIn, type Html } from './docs-text.ts'
import type { RawReply } from './route.ts'

type Document = {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

/** The operations and events of each group. */
const entriesIn = ({ paths, webhooks }: Document): ReadonlyMap<string, readonly Html[]> => {
  const groups = new Map<string, Html[]>()
  const add = ({ tags: [group] }: Operation, entry: Html) =>
    groups.set(group, [...(groups.get(group) ?? []), entry])
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      add(operation, operationText(method, path, operation))
  for (const [event, { post }] of Object.entries(webhooks)) add(post, webhookText(event, post))
  return groups
}

const groupAnchor = (name: string): string => `group-${anchorOf(name)}`

const contents = ({ info, tags }: Document): Html => html`
  <nav aria-label="Contents">
    <h2>To begin with</h2>
    <ul>
      ${titlesIn(info.description).map(
        (title) => html`<li><a href="#${anchorOf(title)}">${title}</a></li>`,
      )}
    </ul>
    <h2>Operations</h2>
    <ul>
      ${tags.map(({ name }) => html`<li><a href="#${groupAnchor(name)}">${name}</a></li>`)}
      <li><a href="#schemas">Schemas</a></li>
    </ul>
  </nav>
`

const groupText = (name: string, description: string, entries: readonly Html[]): Html => html`
  <h2 id="${groupAnchor(name)}">${name}</h2>
  <p>${inline(description)}</p>
  ${entries}
`

const schemaText = ([name, schema]: [string, Schema]): Html => html`
  <details id="schema-${name}" open>
    <summary>${name}</summary>
    <div>${schemaJson(schema)}</div>
  </details>
`

/** The interface as one page that needs no script and nothing from elsewhere. */
export const docsPage = async (openapi: Record<string, unknown>): Promise<RawReply> => {
  const document = openapi as unknown as Document
  const { info, tags, components } = document
  const entries = entriesIn(document)
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} interface</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <h1>${info.title} <span class="quiet">${info.version}</span></h1>
        <p>All of this is in <a href="openapi.json">openapi.json</a>, too (OpenAPI 3.1).</p>
        ${contents(document)}
        <main>
          ${textAsHtml(info.description)}
          ${tags.map(({ name, description }) =>
            groupText(name, description, entries.get(name) ?? []),
          )}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(components.schemas).map(schemaText)}
        </main>
      </body>
    </html>`
  return {
    type: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(String(page)),
    headers: {
      'Content-Security-Policy': await policy,
      'X-Content-Type-Options': 'nosniff',
    },
  }
}
