// Prints the operations of the client from the routes: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { format } from 'prettier'
import { described } from '../service/server.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { comment, nameIn, referredIn, typeOf, type Schema } from './client-types.ts'

const file = fileURLToPath(new URL('../client/generated/operations.ts', import.meta.url))

type Content = { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }
type Documented = {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly object[]
  readonly parameters: readonly {
    readonly in: string
    readonly name: string
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: Content & { readonly required: boolean }
  readonly responses: Readonly<Record<string, Content>>
}
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Documented }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const document = described(readSettings({})) as Document
const { schemas } = document.components

const jsonOf = ({ content = {} }: Content): Schema | undefined =>
  Object.entries(content).find(([type]) => type.endsWith('json'))?.[1].schema

type Operation = Documented & { readonly method: string; readonly path: string }

/** Reached through links that the service gives, or twice. */
const leftOut = new Set(['downloadLog', 'getMerchantLogoWithSlash'])

const operations = Object.entries(document.paths)
  .filter(([path]) => /^\/(?:merchant|sandbox)\/v1\//.test(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Operation => {
      return { ...one, method: method.toUpperCase(), path }
    }),
  )
  .filter(({ operationId }) => !leftOut.has(operationId))

const repliedBy = ({ responses }: Documented): Content => responses['200'] ?? responses['201'] ?? {}

const schemaNamed = ({ $ref }: Schema): Schema | undefined =>
  $ref === undefined ? undefined : schemas[nameIn($ref)]

/** What a page of a list holds: resources, or paths of those that another operation reads. */
const entriesOf = (operation: Operation): string | undefined => {
  const reply = schemaNamed(jsonOf(repliedBy(operation)) ?? {})
  if (!reply?.properties?.['uris']) return undefined
  const embedded = Object.entries(reply.properties).find(
    ([name, { type }]) => type === 'array' && name !== 'uris',
  )
  if (embedded) return typeOf(embedded[1].items ?? {})
  const detail = operations.find(
    ({ method, path }) =>
      method === 'GET' &&
      path.startsWith(`${operation.path}{`) &&
      path.split('{').length === operation.path.split('{').length + 1 &&
      path.endsWith('}/'),
  )
  return detail && typeOf(jsonOf(repliedBy(detail)) ?? {})
}

/** A list that goes on from a cursor: its pages are known by name. */
const pageOf = (operation: Operation): string | undefined => {
  const { $ref } = jsonOf(repliedBy(operation)) ?? {}
  const isRead = operation.parameters.some(({ name }) => name === 'cursor')
  return isRead && $ref !== undefined ? nameIn($ref) : undefined
}

const elementsOf = (operation: Operation): string => {
  const { properties = {} } = schemaNamed(jsonOf(repliedBy(operation)) ?? {}) ?? {}
  return typeOf(Object.values(properties).find(({ type }) => type === 'array')?.items ?? {})
}

const isList = (operation: Operation): boolean =>
  (entriesOf(operation) ?? pageOf(operation)) !== undefined

const resultOf = (operation: Operation): string => {
  const page = pageOf(operation)
  if (page !== undefined) return `Pages<${elementsOf(operation)}, ${page}>`
  const entries = entriesOf(operation)
  if (entries !== undefined) return `List<${entries}>`
  const { responses, operationId } = operation
  // A redirect, which the client follows.
  if (operationId === 'getLastSettlement') return 'Promise<Settlement>'
  const reply = repliedBy(operation)
  const json = jsonOf(reply)
  const isBytes = Object.keys(reply.content ?? {}).some((type) => !type.endsWith('json'))
  const types = [
    ...(json ? [typeOf(json)] : []),
    ...(isBytes ? ['Uint8Array'] : []),
    ...(responses['204'] ? [json ? 'undefined' : 'void'] : []),
  ]
  return `Promise<${types.join(' | ') || 'void'}>`
}

const paramsOf = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** All but the cursor, which the client follows, and what is an option of each call. */
const queryOf = (operation: Operation) =>
  operation.parameters.filter(
    ({ in: place, name }) =>
      place === 'query' &&
      name !== 'as_of' &&
      !(name === 'next' && entriesOf(operation) !== undefined),
  )

const levelOf = ({ security }: Documented): string => {
  if (security.length === 0 || security.some((one) => Object.keys(one).length === 0)) return 'OPEN'
  return security.some((one) => !('timestamp' in one)) ? 'SECRET' : 'KEY'
}

const bodyOf = ({ requestBody }: Operation): string[] => {
  if (!requestBody) return []
  const json = jsonOf(requestBody)
  if (!json && 'multipart/form-data' in (requestBody.content ?? {})) return ['form: FormData']
  return json ? [`body${requestBody.required ? '' : '?'}: ${typeOf(json)}`] : []
}

/** Parts of a query stand among the options, so that a further one moves no argument. */
const optionsOf = (operation: Operation): string => {
  const query = queryOf(operation).map(
    ({ name, description, schema }) =>
      `${comment(description)}readonly ${name}?: ${typeOf(schema)} | undefined`,
  )
  return query.length === 0 ? 'CallOptions' : `CallOptions & {\n${query.join('\n')}\n}`
}

const methodOf = (operation: Operation): string => {
  const { operationId, method, path, summary } = operation
  const given = [
    ...paramsOf(operation).map((name) => `${name}: string`),
    ...bodyOf(operation),
    `options?: ${optionsOf(operation)}`,
  ]
  const about = comment(`${summary}: \`${method} ${path}\` (${levelOf(operation)}).`)
  return `${about}${operationId}(${given.join(', ')}): ${resultOf(operation)}`
}

/** A repeat would make another one: nothing in the request tells that it is the same. */
const isMadeAnew = ({ method, path, operationId }: Operation): boolean =>
  method === 'POST' &&
  (path.startsWith('/sandbox/') || ['createShortlink', 'createApplication'].includes(operationId))

const entryOf = (operation: Operation): string => {
  const { operationId, method, path, requestBody } = operation
  const input = schemaNamed((requestBody && jsonOf(requestBody)) ?? {})
  const mayNameItself = method === 'POST' && input?.properties?.['id'] !== undefined
  const traits = [
    ...(requestBody ? ['body'] : []),
    ...(isList(operation) ? ['list'] : []),
    ...(isMadeAnew(operation) ? ['anew'] : []),
    ...(mayNameItself && !input.required?.includes('id') ? ['names-itself'] : []),
  ]
  return `${operationId}: '${[method, path, ...traits].join(' ')}',`
}

const events = Object.entries(document.webhooks).map(
  ([event, { post }]) => `${event}: ${typeOf(jsonOf(post.requestBody ?? {}) ?? {})}`,
)

/** All that the methods and the callbacks refer to, in the order of the document. */
const usedSchemas = (): string[] => {
  const asked = operations.flatMap((one) => [
    ...referredIn(jsonOf(one.requestBody ?? {})),
    ...referredIn(jsonOf(repliedBy(one))),
  ])
  const told = Object.values(document.webhooks).flatMap(({ post }) => referredIn(post.requestBody))
  const used = new Set<string>()
  const visit = (name: string): void => {
    // Pages of lists are followed, not shown.
    if (used.has(name)) return
    used.add(name)
    for (const inner of referredIn(schemas[name])) visit(inner)
  }
  for (const name of [...asked, ...told]) visit(name)
  const pages = new Set(['List', 'CallbackList', 'AttachmentList', 'FeedMessage'])
  return Object.keys(schemas).filter((name) => used.has(name) && !pages.has(name))
}

const schemaText = (name: string): string => {
  const schema = schemas[name] ?? {}
  return `${comment(schema.description)}export type ${name} = ${typeOf(schema)}\n`
}

const head = `// Printed from the routes by docs/client-operations.ts (\`npm run docs\`).
import type { CallOptions, List, Pages } from '../options.ts'

/** Exact decimal text, such as \`'12.50'\`: never a binary fraction. */
export type Money = string
/** UTC, \`YYYY-MM-DD hh:mm:ss\`. */
export type DateTime = string
`

const messages = `/** What each event tells. */
export type CallbackEvents = {
${events.join('\n')}
}

/** As the feed gives it; \`meta.event\` says what it tells. */
export type FeedMessage = CallbackEvents[keyof CallbackEvents]
`

export const operationsFile = readFileSync(file, 'utf8')

export const printedClientOperations = (): Promise<string> =>
  format(
    [
      head,
      ...usedSchemas().map(schemaText),
      messages,
      `/** The merchant interface, by the names of its operations. */`,
      `export type Operations = {\n${operations.map(methodOf).join('\n')}\n}\n`,
      `/** Method, path and what is special: see \`Trait\` of the client. */`,
      `export const operations = {\n${operations.map(entryOf).join('\n')}\n} as const`,
    ].join('\n'),
    { parser: 'typescript', printWidth: 100, semi: false, singleQuote: true },
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file, await printedClientOperations())
