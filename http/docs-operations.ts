import { html } from 'hono/html'
import { inline, type Html } from './docs-text.ts'
import { levelOf } from './openapi-security.ts'

export type Schema = {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  const?: string
  examples?: readonly string[]
  pattern?: string
  maxLength?: number
} & Record<string, unknown>
type Content = { content?: Record<string, { schema: Schema }> }
type Field = { name: string; required: boolean; description?: string; schema: Schema }
type Parameter = Field & { in: string }
type Response = { description: string; headers?: Record<string, { schema: Schema }> } & Content

export type Operation = {
  summary: string
  description?: string
  tags: [string]
  security: Record<string, readonly string[]>[]
  parameters: Parameter[]
  requestBody?: Content
  responses: Record<string, Response>
}

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

const schemaLink = (name: string): Html => html`<a href="#schema-${name}">${name}</a>`

/** JSON of a schema, in which names of others are links. */
export const schemaJson = (schema: Schema): Html =>
  html`<pre>
${JSON.stringify(schema, null, 2)
      .split(/"#\/components\/schemas\/(\w+)"/)
      .map((part, n) => (n % 2 === 1 ? schemaLink(part) : part))}</pre>`

const schemaText = (schema: Schema): Html | string => {
  const name = nameOf(schema)
  // Of a page or an image there is no more to say than its media type.
  if (schema['type'] === 'string' && Object.keys(schema).length === 1) return ''
  return name === undefined ? schemaJson(schema) : schemaLink(name)
}

/** Under Errors it is told once what an error looks like that has no form of its own. */
const isUsualError = (schema: Schema): boolean => nameOf(schema) === 'Error'

const contentText = ({ content = {} }: Content): Html | string => {
  const [type, media] =
    Object.entries(content).find(([, { schema }]) => !isUsualError(schema)) ?? []
  return media ? html`<span class="quiet">${type}</span> ${schemaText(media.schema)}` : ''
}

/** What is said of a value beside that it is text. */
const limitsText = ({ type, ...limits }: Schema): Html => {
  const { const: only, examples, pattern, maxLength, ...more } = limits
  const others = type === 'string' ? more : { type, ...more }
  return html`${[
    only === undefined ? '' : html`Always <code>${only}</code>.`,
    maxLength === undefined ? '' : html`At most ${maxLength} characters.`,
    pattern === undefined ? '' : html`Pattern <code>${pattern}</code>.`,
    examples === undefined ? '' : html`Such as <code>${examples[0]}</code>.`,
    Object.keys(others).length === 0 ? '' : html`<code>${JSON.stringify(others)}</code>`,
  ].map((text) => html`${text} `)}`
}

const fieldsText = (title: string, fields: readonly Field[]): Html | string =>
  fields.length === 0
    ? ''
    : html`<p>${title}:</p>
        <ul>
          ${fields.map(
            ({ name, required, description = '', schema }) =>
              html`<li>
                <code>${name}</code> ${required ? html`<span class="quiet">required</span>` : ''}
                ${inline(description)} ${limitsText(schema)}
              </li>`,
          )}
        </ul>`

/** The fields of a form, or of each of several that it can be. */
const formText = (form: Schema): Html[] =>
  (form.oneOf ?? form.anyOf ?? [form]).map(({ properties = {}, required = [] }, n) => {
    const fields = Object.entries(properties).map(([name, { description, ...schema }]) => ({
      ...{ name, required: required.includes(name), schema },
      ...(description !== undefined && { description }),
    }))
    return html`${fieldsText(n === 0 ? 'Form' : 'Or', fields)}`
  })

const bodyText = (body: Content): Html => {
  const form = body.content?.['application/x-www-form-urlencoded']
  const isNamed = form && !('additionalProperties' in form.schema)
  return isNamed ? html`${formText(form.schema)}` : html`<p>Body: ${contentText(body)}</p>`
}

const responseText = ([status, response]: [string, Response]): Html => {
  const { description, headers = {} } = response
  return html`<li>
    <b>${status}</b> ${inline(description)}
    ${Object.keys(headers).map((name) => html`<code>${name}</code> `)} ${contentText(response)}
  </li>`
}

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
        ${description ? html`<p>${inline(description)}</p>` : ''} ${fieldsText('Query', query)}
        ${requestBody ? bodyText(requestBody) : ''}
        <ul>
          ${Object.entries(responses).map(responseText)}
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
