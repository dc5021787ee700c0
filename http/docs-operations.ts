import { html } from 'hono/html'
import { inline, type Html } from './docs-text.ts'
import { levelOf } from './openapi-security.ts'

export type Schema = { $ref?: string; description?: string } & Record<string, unknown>
type Content = { content?: Record<string, { schema: Schema }> }
type Parameter = { name: string; in: string; schema: Schema }

export type Operation = {
  summary: string
  description?: string
  tags: [string]
  security: Record<string, readonly string[]>[]
  parameters: Parameter[]
  requestBody?: Content
  responses: Record<string, { description: string } & Content>
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

const schemaLink = (name: string): Html => html`<a href="#schema-${name}">${name}</a>`

/** JSON of a schema, in which names of others are links. */
export const schemaJson = (schema: Schema): Html =>
  html`<pre>
${JSON.stringify(schema, null, 2)
      .split(/"#\/components\/schemas\/(\w+)"/)
      .map((part, n) => (n % 2 === 1 ? schemaLink(part) : part))}</pre>`

const schemaText = (schema: Schema): Html => {
  const name = nameOf(schema)
  return name === undefined ? schemaJson(schema) : schemaLink(name)
}

/** Under Errors it is told once what an error looks like that has no form of its own. */
const isUsualError = (schema: Schema): boolean => nameOf(schema) === 'Error'

const contentText = ({ content = {} }: Content): Html | string => {
  const [type, media] =
    Object.entries(content).find(([, { schema }]) => !isUsualError(schema)) ?? []
  return media ? html`<span class="quiet">${type}</span> ${schemaText(media.schema)}` : ''
}

const parameterText = ({ name, schema }: Parameter): Html => html`
  <li><code>${name}</code> ${inline(schema.description ?? '')} ${schemaText(schema)}</li>
`

export const operationText = (method: string, path: string, operation: Operation): Html => {
  const { summary, description, security, parameters, requestBody, responses } = operation
  const query = parameters.filter((parameter) => parameter.in === 'query')
  return html`
    <details>
      <summary>
        <b>${method.toUpperCase()}</b> <code>${path}</code> ${inline(summary)}
        <span class="quiet">${levelOf(security)}</span>
      </summary>
      <div>
        ${description ? html`<p>${inline(description)}</p>` : ''}
        ${
          query.length > 0
            ? html`<p>Query:</p>
                <ul>
                  ${query.map(parameterText)}
                </ul>`
            : ''
        }
        ${requestBody ? html`<p>Body: ${contentText(requestBody)}</p>` : ''}
        <ul>
          ${Object.entries(responses).map(
            ([status, response]) =>
              html`<li>
                <b>${status}</b> ${inline(response.description)} ${contentText(response)}
              </li>`,
          )}
        </ul>
      </div>
    </details>
  `
}

/** An event that is told, with the message that tells it. */
export const webhookText = (event: string, { summary, requestBody }: Operation): Html => {
  const [message] = Object.values(requestBody?.content ?? {})
  return html`
    <p><code>${event}</code> ${inline(summary)} ${message ? schemaText(message.schema) : ''}</p>
  `
}
