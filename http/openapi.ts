import type { z } from 'zod'
import type { Names } from './assets.ts'
import { groups, type Group, type Route, type UploadForm } from './route.ts'
import {
  operationIdOf,
  inCapitals,
  asNumber,
  contentOf,
  makeSchemas,
  type Json,
  type SchemaOf,
} from './openapi-schemas.ts'
import { makeResponses } from './openapi-responses.ts'
import {
  levelOf,
  levels,
  securityOf,
  securitySchemesOf,
  signedByService,
} from './openapi-security.ts'
import { callbacks } from './merchant/callback-events.ts'

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Headers of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'The id of the message, as in `meta`.'),
  header('webhook-timestamp', 'Seconds since 1970 at which it was sent.'),
  header(
    'webhook-signature',
    'Of `<id>.<timestamp>.<body>`: `v1,` and an HMAC for each valid secret, `v1a,` and Ed25519.',
  ),
]

const responses = {
  '2XX': { description: 'It has arrived, and is not sent again.' },
  410: { description: 'Nobody wants it: it is not sent again.' },
  default: { description: 'It is sent again for up to 3 days; redirects are not followed.' },
}

/** The callbacks of this service, from the receiver's side (OpenAPI 3.1, webhooks). */
const webhooksOf = (names: Names, schemaOf: SchemaOf): Json =>
  Object.fromEntries(
    Object.entries(callbacks).map(([event, { summary, message }]) => [
      event,
      {
        post: {
          tags: ['Callback'],
          summary,
          operationId: `receive${inCapitals(event)}`,
          security: signedByService,
          parameters,
          requestBody: { required: true, ...contentOf([names.json], schemaOf(message, 'output')) },
          responses,
        },
      },
    ]),
  )

/** What pages need; a route does not check it, but its page leads to the sign-in. */
const sessions: Readonly<Partial<Record<Group, string>>> = {
  Pages: 'a browser, and where it is of an account the session of a payer in it',
  Portal: "a browser with the session of somebody on a merchant's staff",
  Operator: "a browser with the session of one of the operator's people",
  Audit: 'a browser with the session of an auditor, or the token of one',
}

export type Described = {
  readonly names: Names
  readonly version: string
  /** Undefined when it is not known beforehand. */
  readonly publicUrl: string | undefined
}

/** The guides say the rest. */
const introduction = `Merchant payment and authorisation service: merchants, payers, and OAuth 2.0.

Guides, examples and a search are at \`/docs\` of the service: authentication, signing,
errors, sending again, callbacks and the columns of logs.`

/** The groups in use (OpenAPI 3.1, Tag Object). */
const tagsOf = (routes: readonly Route[]) =>
  Object.entries(groups)
    .filter(([name]) => name === 'Callback' || routes.some(({ group }) => group === name))
    .map(([name, description]) => ({ name, description }))

/** Pages take them too, but no program asks for these. */
const takesFreshness = ({ method, path }: Route): boolean =>
  method === 'GET' && /^\/(merchant|payer)\/v1\//.test(path)

const freshnessParameters = ({ minPosition }: Names): Json[] => [
  {
    name: minPosition,
    in: 'header',
    required: false,
    description: 'Answers with everything up to this position, without asking the store.',
    schema: { type: 'integer', minimum: 0 },
  },
  {
    name: 'Cache-Control',
    in: 'header',
    required: false,
    description: '`max-age` and seconds: the answer may be so old, and the store is not asked.',
    schema: { type: 'string' },
  },
]

/** The OpenAPI 3.1 document, printed from the mounted routes. */
export const openApi = (
  routes: readonly Route[],
  { names, version, publicUrl }: Described,
): Json => {
  const { schemas, schemaOf } = makeSchemas()
  const responsesOf = makeResponses(names, schemaOf)

  const uploadOf = ({ parts }: UploadForm): Json => {
    const kinds = parts.map(({ type, schema }) =>
      schema ? schemaOf(schema, 'input') : { type: 'string', contentMediaType: type },
    )
    const schema = { type: 'object', additionalProperties: { anyOf: kinds } }
    const description = `Parts of the types ${parts.map(({ type }) => type).join(', ')}.`
    return { description, required: true, content: { 'multipart/form-data': { schema } } }
  }

  const allPaths = routes.map(({ path }) => path)

  const parameterOf = (name: string, where: 'path' | 'query', schema: z.ZodType): Json => {
    const { description, ...rest } = schemaOf(schema, 'input')
    const required = where === 'path' || !schema.safeParse(undefined).success
    return {
      name,
      in: where,
      required,
      ...(description !== undefined && { description }),
      schema: asNumber(rest),
    }
  }

  const parametersOf = (route: Route): Json[] => [
    ...parametersInUrl(route),
    ...(takesFreshness(route) ? freshnessParameters(names) : []),
  ]

  const parametersInUrl = ({ params, query, ownQuery }: Route): Json[] =>
    (
      [
        ['path', params],
        ['query', query ?? ownQuery],
      ] as const
    ).flatMap(([where, object]) =>
      Object.entries(object?.shape ?? {}).map(([name, schema]) =>
        parameterOf(name, where, schema as z.ZodType),
      ),
    )

  const formType = 'application/x-www-form-urlencoded'
  const jsonTypes = ['application/json', names.json]
  const bodyTypesOf = (takesForm: Route['takesForm']): string[] => {
    if (takesForm === 'or JSON') return [...jsonTypes, formType]
    return takesForm ? [formType] : jsonTypes
  }

  const bodyOf = (body: z.ZodType, takesForm: Route['takesForm']): Json => ({
    // A missing body counts as an empty object.
    required: !body.safeParse({}).success,
    ...contentOf(bodyTypesOf(takesForm), schemaOf(body, 'input')),
  })

  const operation = (route: Route): Json => {
    const { summary, description, group, takesForm, body } = route
    const security = securityOf(route)
    const needed = `Needs ${sessions[group] ?? levels[levelOf(security)]}.`
    return {
      tags: [group],
      summary,
      description: description === undefined ? needed : `${description} ${needed}`,
      operationId: operationIdOf(route, allPaths),
      security,
      parameters: parametersOf(route),
      ...(route.upload && { requestBody: uploadOf(route.upload) }),
      ...(body && { requestBody: bodyOf(route.ownForm ?? body, takesForm) }),
      responses: responsesOf(route),
    }
  }

  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')
    ;(paths[path] ??= {})[route.method.toLowerCase()] = operation(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'daybook',
      version,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: {
        name: 'Whoever runs this service',
        ...(publicUrl !== undefined && { url: publicUrl }),
      },
      description: introduction,
    },
    servers: [{ url: publicUrl ?? '/' }],
    tags: tagsOf(routes),
    paths,
    webhooks: webhooksOf(names, schemaOf),
    components: { schemas, securitySchemes: securitySchemesOf(names) },
  }
}
