import { expect } from 'vitest'
import { z } from 'zod'

/** The subset of OpenAPI 3.1 that this service uses; anything else is rejected. */

const reference = z.strictObject({ $ref: z.string().regex(/^#\/components\/schemas\/\w+$/) })
const schema = z.union([reference, z.looseObject({ $ref: z.undefined().optional() })])
const content = z.record(z.string().regex(/^[a-z]+\/[a-zA-Z0-9.+-]+$/), z.strictObject({ schema }))

const response = z.strictObject({
  description: z.string().min(1),
  headers: z
    .record(z.string(), z.strictObject({ description: z.string().min(1).optional(), schema }))
    .optional(),
  content: content.optional(),
})

const operation = z.strictObject({
  tags: z.array(z.string().min(1)).length(1),
  summary: z.string().min(1),
  description: z.string().min(1).optional(),
  operationId: z.string().regex(/^\w+$/),
  security: z.array(z.record(z.string(), z.array(z.never()))),
  parameters: z.array(
    z.strictObject({
      name: z.string().min(1),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean(),
      description: z.string().min(1).optional(),
      schema,
    }),
  ),
  requestBody: z
    .strictObject({ description: z.string().min(1).optional(), required: z.boolean(), content })
    .optional(),
  responses: z.record(z.string().regex(/^([2-5]\d\d|default)$/), response),
})

const method = z.enum(['get', 'post', 'put', 'delete'])

/** An outgoing request has headers of its own, and describes how responses are interpreted. */
const webhook = operation.extend({
  parameters: z.array(
    z.strictObject({
      name: z.string().min(1),
      in: z.literal('header'),
      required: z.literal(true),
      description: z.string().min(1),
      schema,
    }),
  ),
  requestBody: z.strictObject({ required: z.literal(true), content }),
  responses: z.record(z.string().regex(/^([2-5](\d\d|XX)|default)$/), response),
})

export const openApiDocument = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string().min(1),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    description: z.string().min(1),
    license: z.strictObject({ name: z.string().min(1), identifier: z.string().min(1) }),
    contact: z.strictObject({ name: z.string().min(1), url: z.url().optional() }),
  }),
  servers: z.array(z.strictObject({ url: z.string().min(1) })).min(1),
  tags: z.array(z.strictObject({ name: z.string().min(1), description: z.string().min(1) })),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(method, operation)),
  webhooks: z.record(z.string().regex(/^\w+$/), z.strictObject({ post: webhook })),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^\w+$/), schema),
    securitySchemes: z.record(
      z.string().regex(/^\w+$/),
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('apiKey'),
          in: z.literal('header'),
          name: z.string().min(1),
          description: z.string().min(1),
        }),
        z.strictObject({
          type: z.literal('http'),
          scheme: z.enum(['basic', 'bearer']),
          description: z.string().min(1),
        }),
      ]),
    ),
  }),
})

export type OpenApiDocument = z.output<typeof openApiDocument>
export type Operation = z.output<typeof operation>

export const operationsOf = ({ paths }: OpenApiDocument): Map<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation as Operation,
      ]),
    ),
  )

type Shown = {
  readonly status: number
  readonly type: string
  readonly header: (name: string) => string | null
  readonly text: string
  readonly body: unknown
}

/** Checks responses against a document, and records which ones it has seen. */
export const makeAnswerCheck = (document: OpenApiDocument) => {
  const seen = new Set<string>()
  const operations = operationsOf(document)

  const check = (method: string, template: string, answer: Shown): void => {
    const { status, text, body } = answer
    const response = operations.get(`${method} ${template}`)?.responses[String(status)]
    const described = expect.objectContaining({ description: expect.any(String) })
    expect([method, template, status, response]).toEqual([method, template, status, described])
    seen.add(`${method} ${template} ${status}`)
    for (const [name, { schema }] of Object.entries(response?.headers ?? {})) {
      // The duration of some waits is unknown.
      if (name === 'Retry-After') continue
      const expected = 'const' in schema ? schema['const'] : expect.any(String)
      const header = [name, answer.header(name)]
      expect([method, template, status, ...header]).toEqual([
        method,
        template,
        status,
        name,
        expected,
      ])
    }
    const type = answer.type.split(';')[0] ?? ''
    const content = response?.content?.[type]
    if (response?.content && text !== '')
      expect([template, type, content]).toEqual([template, type, expect.any(Object)])
    else expect(text).toBe('')
    if (!content?.schema || !type.endsWith('json')) return
    const checked = checkOf(document, content.schema).safeParse(body)
    expect([template, checked.error?.issues ?? []]).toEqual([template, []])
  }

  /** Operations without a successful response so far; a redirect counts as one. */
  const unseen = (): string[] =>
    [...operations.keys()].filter(
      (name) => ![...seen].some((one) => one.startsWith(`${name} `) && /[23]\d\d$/.test(one)),
    )

  return { check, unseen, seen }
}

export const templateOf = ({ paths }: OpenApiDocument, path: string): string =>
  Object.keys(paths).find((template) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  ) ?? path

const ofPeople = [
  ...['payer', 'oauth2', '\\.well-known', 'merchant/v1/permission_request'],
  ...['merchant/v1/application', 'sandbox/v1/permission', 'sandbox/v1/payer'],
]
const peoples = new RegExp(`^\\w+ /(?:${ofPeople.join('|')})`)

/** The authorization server, and the interface and pages of payers. */
export const isPeoples = (name: string): boolean => peoples.test(name)

/** The staff's pages, walked through in tests/portal. */
export const isPortal = (name: string): boolean => /^\w+ \/portal(?!\/\w+\.)/.test(name)

/** The operator's pages, walked through in tests/operator. */
export const isOperators = (name: string): boolean => /^\w+ \/operator(?!\/\w+\.)/.test(name)

/** The auditors' pages, walked through in tests/audit/auditor.test.ts. */
export const isAuditors = (name: string): boolean => /^\w+ \/audit(?!\/style)/.test(name)

/** Checks values against a JSON schema of the document. */
export const checkOf = (
  { components }: OpenApiDocument,
  schema: Readonly<Record<string, unknown>>,
): z.ZodType => {
  const whole = { ...schema, $defs: components.schemas }
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
}
