import type { z } from 'zod'
import type { Names } from './brand.ts'
import { introduction } from './docs-introduction.ts'
import { errorReply } from './errors.ts'
import { tagsOf } from './openapi-groups.ts'
import { contentOf, makeSchemas, type Json } from './openapi-schemas.ts'
import { securityOf, securitySchemesOf } from './openapi-security.ts'
import { webhooksOf } from './openapi-webhooks.ts'
import type { Route, UploadForm } from './route.ts'

const errorsOf = ({ access, guard, method, params, body, query, upload, errors }: Route) => ({
  ...(method === 'GET' && !query
    ? {}
    : { 400: 'The request does not fit; error_details names the fields.' }),
  ...(access === 'OPEN' && !guard
    ? {}
    : { 401: 'Authentication failed; the description says which check.' }),
  ...(params ? { 404: 'There is no such resource.' } : {}),
  406: 'Accept allows none of the types of this answer.',
  ...(method === 'GET'
    ? {}
    : {
        408: 'The body did not come to its end in time.',
        409: 'Conflict with what is there.',
        413: `The body is larger than ${(upload?.largest ?? 1_048_576) / 1_048_576} MiB.`,
      }),
  ...(body || upload ? { 415: 'The body is of another type.' } : {}),
  ...(access === 'OPEN' ? {} : { 429: 'Too many secrets of the same address wait to be checked.' }),
  ...errors,
  503: 'The store cannot be reached; try again after Retry-After.',
})

/** The OpenAPI 3.1 document of a list of routes: printed from the very values that are mounted. */
export const openApi = (
  routes: readonly Route[],
  names: Names,
  version: string,
  publicUrl: string | undefined,
): Json => {
  const { schemas, schemaOf } = makeSchemas()

  const uploadOf = ({ parts }: UploadForm): Json => {
    const kinds = parts.map(({ type, schema }) =>
      schema ? schemaOf(schema, 'input') : { type: 'string', contentMediaType: type },
    )
    const schema = { type: 'object', additionalProperties: { anyOf: kinds } }
    const description = `Parts of the types ${parts.map(({ type }) => type).join(', ')}.`
    return { description, required: true, content: { 'multipart/form-data': { schema } } }
  }

  const parametersOf = ({ params, query }: Route): Json[] =>
    (
      [
        ['path', params],
        ['query', query],
      ] as const
    ).flatMap(([where, object]) =>
      Object.entries(object?.shape ?? {}).map(([name, schema]) => ({
        name,
        in: where,
        required: where === 'path',
        schema: schemaOf(schema as z.ZodType, 'input'),
      })),
    )

  const rawContentOf = (types: readonly string[]): Json => ({
    content: Object.fromEntries(
      types.map((type) => [
        type,
        { schema: { type: type.endsWith('json') ? 'object' : 'string' } },
      ]),
    ),
  })

  const successOf = ({ success, reply, replyTypes = [names.json] }: Route): Json => {
    const content = reply && contentOf(replyTypes, schemaOf(reply, 'output'))
    switch (success) {
      case 'value':
      case 'raw':
        return { 200: { description: 'OK', ...(content ?? rawContentOf(replyTypes)) } }
      case 'created':
        return {
          201: {
            description: 'Created, or there already with the same data.',
            headers: { Location: { schema: { type: 'string', format: 'uri' } } },
            ...content,
          },
        }
      case 'found':
        return {
          302: {
            description: 'It is there.',
            headers: { Location: { schema: { type: 'string', format: 'uri' } } },
          },
        }
      case 'value or nothing':
        return { 200: { description: 'OK', ...content }, 204: { description: 'There is none.' } }
      case 'nothing':
        return { 204: { description: 'Done.' } }
    }
  }

  const errorOf = ({ ownErrors }: Route): Json => ({
    content: {
      ...(contentOf([names.json], schemaOf(errorReply, 'output'))['content'] as Json),
      ...(ownErrors && { [ownErrors.type]: { schema: schemaOf(ownErrors.schema, 'output') } }),
    },
  })

  const operation = (route: Route): Json => {
    const { method, summary, description, group, body } = route
    const error = errorOf(route)
    return {
      tags: [group],
      summary,
      ...(description === undefined ? {} : { description }),
      operationId: `${method.toLowerCase()}${route.path.replace(/[^a-z0-9]+/gi, '_')}`,
      security: securityOf(route),
      parameters: parametersOf(route),
      ...(route.upload && { requestBody: uploadOf(route.upload) }),
      ...(body && {
        requestBody: {
          // No body is an empty object.
          required: !body.safeParse({}).success,
          ...contentOf(
            route.takesForm
              ? ['application/x-www-form-urlencoded']
              : ['application/json', names.json],
            schemaOf(body, 'input'),
          ),
        },
      }),
      responses: {
        ...successOf(route),
        ...Object.fromEntries(
          Object.entries(errorsOf(route)).map(([status, text]) => [
            status,
            { description: text, ...error },
          ]),
        ),
      },
    }
  }

  const isSandbox = routes.some(({ path }) => path.startsWith('/sandbox/'))
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
      description: introduction({ names, publicUrl, isSandbox }),
    },
    servers: [{ url: publicUrl ?? '/' }],
    tags: tagsOf(routes),
    paths,
    webhooks: webhooksOf(names, schemaOf),
    components: {
      schemas,
      securitySchemes: securitySchemesOf(names),
    },
  }
}
