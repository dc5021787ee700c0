import type { Names } from './assets.ts'
import { errorReply } from './errors.ts'
import { contentOf, type Json, type SchemaOf } from './openapi-schemas.ts'
import { largestBodyOf } from './body-reader.ts'
import type { Route } from './route.ts'

type Texts = Readonly<Record<number, string>>

const anythingElse = 'An error of the service, with an id to ask about.'

const created = 'Created, or there already with the same data.'

const unauthenticated = 'Authentication failed; the description says which check.'

/** Errors from before the route runs. */
const beforehand = (route: Route): Texts => {
  const { access, guard, method, params, body, query, upload, ownErrors } = route
  const fields = ownErrors?.tell ? '' : '; error_details names the fields'
  return {
    ...(method === 'GET' && !query ? {} : { 400: `The request does not fit${fields}.` }),
    ...(access === 'OPEN' ? {} : { 401: unauthenticated }),
    ...(params ? { 404: 'There is no such resource.' } : {}),
    406: 'Accept allows none of the types of this answer.',
    ...(method === 'GET'
      ? {}
      : {
          408: 'The body did not come to its end in time.',
          413: `The body is larger than ${largestBodyOf(route) / 1_024} KiB.`,
        }),
    ...(body || upload ? { 415: 'The body is of another type.' } : {}),
    // A merchant may be a client and authenticate with its secret.
    ...(access === 'OPEN' && guard !== 'client'
      ? {}
      : { 429: 'Too much is asked, or too many secrets were wrong; try again after Retry-After.' }),
    503: 'The store cannot be reached; try again after Retry-After.',
  }
}

/** Errors that follow from the route's declaration. */
const refusalsOf = ({ guard, isSafe, errors }: Route): Texts => ({
  ...(guard ? { 401: unauthenticated } : {}),
  ...(isSafe ? {} : { 409: 'Conflict with what is there.' }),
  ...errors,
})

const header = (description: string): Json => ({ description, schema: { type: 'string' } })

const locationAs = (format: 'uri' | 'uri-reference'): Json => ({
  Location: { schema: { type: 'string', format } },
})

const fixed = (headers: Readonly<Record<string, string>> = {}): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      { schema: { type: 'string', const: value } },
    ]),
  )

/** Headers that carry a redirect or say what to do about an error. */
const headersOf = ({ guard, headers, ownErrors }: Route, status: number): Json => {
  if (status < 400) return { ...locationAs('uri-reference'), ...fixed(headers) }
  const always = fixed(ownErrors?.headers)
  if (status === 401 || (status === 403 && guard === 'token'))
    return { 'WWW-Authenticate': header('What it takes (RFC 9110, 11.6.1).'), ...always }
  if (status === 429 || status === 503)
    return { 'Retry-After': header('Seconds to wait, where that is known.'), ...always }
  return always
}

const withHeaders = (headers: Json): Json => (Object.keys(headers).length > 0 ? { headers } : {})

/** Documents a route's success and errors. */
export const makeResponses = (names: Names, schemaOf: SchemaOf) => {
  const rawContentOf = (types: readonly string[]): Json => ({
    content: Object.fromEntries(
      types.map((type) => [
        type,
        { schema: { type: type.endsWith('json') ? 'object' : 'string' } },
      ]),
    ),
  })

  const successOf = ({ success, reply, replyTypes = [names.json], headers }: Route): Json => {
    const content = reply && contentOf(replyTypes, schemaOf(reply, 'output'))
    const description = 'OK'
    switch (success) {
      case 'value':
        return { 200: { description, ...content } }
      case 'raw': {
        const isJson = (type: string): boolean => type.endsWith('json')
        const others = rawContentOf(replyTypes.filter((type) => !reply || !isJson(type)))
        const json = reply && contentOf(replyTypes.filter(isJson), schemaOf(reply, 'output'))
        const all = { content: { ...(json?.['content'] as Json), ...(others['content'] as Json) } }
        const own = { ...withHeaders(fixed(headers)), ...all }
        return { 200: { description, ...own } }
      }
      case 'raw otherwise':
        return {}
      case 'created':
        return { 201: { description: created, headers: locationAs('uri'), ...content } }
      case 'found':
        return { 302: { description: 'It is there.', headers: locationAs('uri') } }
      case 'value or nothing':
        return { 200: { description, ...content }, 204: { description: 'There is none.' } }
      case 'nothing':
        return { 204: { description: 'Done.' } }
    }
  }

  const errorContentOf = ({ ownErrors, replyTypes }: Route, isUsual: boolean): Json => {
    const usual = contentOf([names.json], schemaOf(errorReply, 'output'))
    if (!ownErrors) return usual
    const own = contentOf([ownErrors.type], schemaOf(ownErrors.schema, 'output'))
    // Where JSON may be asked for, errors are told in it as well.
    const isAlsoJson = isUsual || replyTypes?.includes('application/json')
    if (ownErrors.tell || !isAlsoJson) return own
    return { content: { ...usual['content'], ...own['content'] } }
  }

  const errorsOf = (route: Route): Json => {
    const [usual, own] = [beforehand(route), refusalsOf(route)]
    const entries = Object.entries({ ...usual, ...own }).map(([key, description]) => {
      const status = Number(key)
      const headers = withHeaders(headersOf(route, status))
      const content = status < 400 ? {} : errorContentOf(route, status in usual)
      return [key, { description, ...headers, ...content }]
    })
    const others = { description: anythingElse, ...errorContentOf(route, true) }
    return { ...Object.fromEntries(entries), default: others }
  }

  const position = {
    [names.position]: {
      description: 'How far in the log this answer reaches: see /docs/freshness.',
      schema: { type: 'integer' },
    },
  }

  return (route: Route): Json =>
    Object.fromEntries(
      Object.entries({ ...successOf(route), ...errorsOf(route) }).map(([status, response]) => {
        const { description, headers, ...content } = response as Json
        const all = { ...(headers as Json | undefined), ...position }
        return [status, { description, headers: all, ...content }]
      }),
    )
}
