import { html, raw } from 'hono/html'
import type { RawReply } from './route.ts'

const style = `:root{color-scheme:light dark;--text:#1c2430;--quiet:#5b6675;--line:#d9dee6;--ground:#fff;--accent:#0b5fad}
@media (prefers-color-scheme:dark){:root{--text:#e8ecf2;--quiet:#a3adbb;--line:#38414e;--ground:#14181f;--accent:#7db8f2}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--ground);max-width:60rem;margin:0 auto;padding:1rem}
h2{border-bottom:1px solid var(--line);margin-top:2.5rem}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0}
summary{padding:.6rem .8rem;cursor:pointer;min-height:1.6rem}
summary:focus-visible{outline:3px solid var(--accent)}
details>div{padding:0 .8rem .8rem}
code,pre{font:14px/1.45 ui-monospace,monospace}
pre{overflow:auto;border:1px solid var(--line);border-radius:6px;padding:.6rem}
b{display:inline-block;min-width:4.2em}
.quiet{color:var(--quiet)}
a{color:var(--accent)}`

type Schema = { $ref?: string } & Record<string, unknown>
type Content = { content?: Record<string, { schema: Schema }> }
type Operation = {
  summary: string
  description?: string
  tags: [string]
  security: Record<string, unknown>[]
  requestBody?: Content
  responses: Record<string, { description: string } & Content>
}
type Document = {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const schemaText = (schema: Schema) => {
  const name = schema.$ref?.split('/').at(-1)
  return name
    ? html`<a href="#schema-${name}">${name}</a>`
    : html`<pre>${JSON.stringify(schema, null, 2)}</pre>`
}

const contentText = ({ content }: Content) => {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  return media ? html`<span class="quiet">${type}</span> ${schemaText(media.schema)}` : ''
}

const access = ({ security }: Operation): string => {
  if (security.length === 0) return 'OPEN'
  if (security.some((scheme) => 'secret' in scheme)) return 'SECRET'
  return security.some((scheme) => 'user' in scheme) ? 'KEY' : 'INTEGRATOR'
}

const operationText = (method: string, path: string, operation: Operation) => html`
  <details>
    <summary>
      <b>${method.toUpperCase()}</b> <code>${path}</code> ${operation.summary}
      <span class="quiet">${access(operation)}</span>
    </summary>
    <div>
      ${operation.description ? html`<p>${operation.description}</p>` : ''}
      ${operation.requestBody ? html`<p>Body: ${contentText(operation.requestBody)}</p>` : ''}
      <ul>
        ${Object.entries(operation.responses).map(
          ([status, response]) =>
            html`<li><b>${status}</b> ${response.description} ${contentText(response)}</li>`,
        )}
      </ul>
    </div>
  </details>
`

const digest = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64')

/** Nothing but the style above: no script, nothing from elsewhere, no frame around it. */
const policy = digest(style).then(
  (hash) =>
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
)

/** The interface as one page that needs no script and nothing from elsewhere. */
export const docsPage = async (openapi: Record<string, unknown>): Promise<RawReply> => {
  const { info, paths, components } = openapi as unknown as Document
  const groups = new Map<string, ReturnType<typeof operationText>[]>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [group] = operation.tags
      groups.set(group, [...(groups.get(group) ?? []), operationText(method, path, operation)])
    }
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
        <p>${info.description} The same as a document: <a href="openapi.json">openapi.json</a>.</p>
        ${[...groups].map(
          ([group, operations]) =>
            html`<h2>${group}</h2>
              ${operations}`,
        )}
        <h2>Schemas</h2>
        ${Object.entries(components.schemas).map(
          ([name, schema]) =>
            html`<details id="schema-${name}" open>
              <summary>${name}</summary>
              <div><pre>${JSON.stringify(schema, null, 2)}</pre></div>
            </details>`,
        )}
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
