import { z } from 'zod'

/** OpenAPI 3.1 as far as this service uses it; what it does not use may not stand in its document. */

const reference = z.strictObject({ $ref: z.string().regex(/^#\/components\/schemas\/\w+$/) })
const schema = z.union([reference, z.looseObject({ $ref: z.undefined().optional() })])
const content = z.record(z.string().regex(/^[a-z]+\/[a-zA-Z0-9.+-]+$/), z.strictObject({ schema }))

const response = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), z.strictObject({ schema })).optional(),
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
      in: z.enum(['path', 'query']),
      required: z.boolean(),
      schema,
    }),
  ),
  requestBody: z
    .strictObject({ description: z.string().min(1).optional(), required: z.boolean(), content })
    .optional(),
  responses: z.record(z.string().regex(/^[2-5]\d\d$/), response),
})

const method = z.enum(['get', 'post', 'put', 'delete'])

export const openApiDocument = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string().min(1),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    description: z.string().min(1),
  }),
  servers: z.array(z.strictObject({ url: z.string().min(1) })).min(1),
  paths: z.record(z.string().startsWith('/'), z.partialRecord(method, operation)),
  components: z.strictObject({
    schemas: z.record(z.string().regex(/^\w+$/), schema),
    securitySchemes: z.record(
      z.string().regex(/^\w+$/),
      z.strictObject({
        type: z.literal('apiKey'),
        in: z.literal('header'),
        name: z.string().min(1),
        description: z.string().min(1),
      }),
    ),
  }),
})

export type OpenApiDocument = z.output<typeof openApiDocument>
type Operation = z.output<typeof operation>

/** Each operation of a document under its method and path. */
export const operationsOf = ({ paths }: OpenApiDocument): Map<string, Operation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation as Operation,
      ]),
    ),
  )

/** A check of values by a JSON schema of the document. */
export const checkOf = (
  { components }: OpenApiDocument,
  schema: Readonly<Record<string, unknown>>,
): z.ZodType => {
  const whole = { ...schema, $defs: components.schemas }
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
}
