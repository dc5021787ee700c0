import { Hono, type Context as HonoContext } from 'hono'
import type { z } from 'zod'
import { StoreUnavailable } from '../application/event-store.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Authenticate } from './access.ts'
import type { Names } from './brand.ts'
import {
  answerTo,
  answerToMalformed,
  answerToRefusal,
  Malformed,
  RequestError,
  type ErrorAnswer,
} from './errors.ts'
import { accepts, checked, parseBody, parseForm, readBody } from './reading.ts'
import type { Call, Created, RawReply, Route } from './route.ts'

export type AppNeeds = {
  readonly routes: readonly Route[]
  readonly names: Names
  readonly authenticate: Authenticate
  /** The base of the URL that a client saw; undefined when its Host header says it. */
  readonly publicUrl: string | undefined
  readonly now: () => Instant
  readonly newId: () => string
  readonly observe: (request: {
    readonly method: string
    readonly path: string
    readonly status: number
    readonly requestId: string
    readonly milliseconds: number
  }) => void
  readonly onBug: (error: unknown, requestId: string) => void
}

type Bindings = { incoming?: { socket?: { remoteAddress?: string } } }
type Http = HonoContext<{ Bindings: Bindings }>

const emptyBody = new Uint8Array()

/** An id that cannot be one names no resource: that is a 404, not a malformed request. */
const paramsOf = (schema: z.ZodObject, given: unknown) => {
  const result = schema.safeParse(given)
  return result.success ? result.data : refuse('resource_is_unknown')
}

const methodOf = (http: Http): string => (http.req.method === 'HEAD' ? 'GET' : http.req.method)

/** The Hono app that answers the routes, and every other request with the error that the interface names. */
export const makeApp = (needs: AppNeeds) => {
  const { names, authenticate } = needs
  const app = new Hono<{ Bindings: Bindings }>()

  const urlOf = ({ req }: Http): string => {
    const { publicUrl } = needs
    if (publicUrl === undefined) return req.url
    const path = req.url.slice(req.url.indexOf('/', req.url.indexOf('://') + 3))
    return publicUrl + path
  }

  const call = async (route: Route, http: Http, requestId: string): Promise<Call> => {
    const { req } = http
    const body = req.method === 'GET' || req.method === 'HEAD' ? emptyBody : await readBody(req)
    const accept = req.header('accept')
    const request = {
      method: req.method,
      url: urlOf(http),
      header: (name: string) => req.header(name),
      headers: () => req.raw.headers,
      remoteAddress: http.env.incoming?.socket?.remoteAddress,
      body,
    }
    const caller = route.access === 'OPEN' ? undefined : await authenticate(route.access, request)
    const replyTypes = route.replyTypes ?? [names.json, 'application/json']
    if (!accepts(accept, replyTypes))
      throw new RequestError(406, `This resource is answered as ${replyTypes.join(' or ')}.`)
    return {
      params: route.params && paramsOf(route.params, req.param()),
      query: route.query && checked(route.query, req.query()),
      body:
        route.body &&
        (route.takesForm
          ? parseForm(route.body, body, req.header('content-type'))
          : parseBody(route.body, body, req.header('content-type'), names)),
      caller,
      at: needs.now(),
      requestId,
      accept,
      request,
    }
  }

  const json = (http: Http, status: 200 | 201, value: unknown) => {
    http.header('Content-Type', names.json)
    return http.body(JSON.stringify(value), status)
  }

  const succeed = (route: Route, http: Http, answer: unknown): Response => {
    const { success, reply } = route
    switch (success) {
      case 'value':
        return json(http, 200, reply ? reply.parse(answer) : answer)
      case 'created': {
        const { location, value } = answer as Created
        http.header('Location', location)
        return value === undefined
          ? http.body(null, 201)
          : json(http, 201, reply ? reply.parse(value) : value)
      }
      case 'nothing':
        return http.body(null, 204)
      case 'raw': {
        const { isUnavailable, status = 200, type, body, headers, cookies } = answer as RawReply
        for (const [name, value] of Object.entries(headers ?? {})) http.header(name, value)
        http.header('Content-Type', type)
        for (const cookie of cookies ?? []) http.header('Set-Cookie', cookie, { append: true })
        return http.body(body, isUnavailable ? 503 : status)
      }
    }
  }

  const fail = (http: Http, { status, body }: ErrorAnswer): Response => {
    http.header('Content-Type', names.json)
    return http.body(JSON.stringify(body), status)
  }

  const failWith = (http: Http, error: unknown, requestId: string): Response => {
    if (error instanceof Refusal) return fail(http, answerToRefusal(error.code))
    if (error instanceof Malformed) return fail(http, answerToMalformed(error))
    if (error instanceof RequestError) {
      for (const [name, value] of Object.entries(error.headers)) http.header(name, value)
      const { status, body } = answerTo(error.status, error.message)
      return fail(http, { status, body: { ...body, error_details: error.details } })
    }
    if (error instanceof StoreUnavailable) {
      http.header('Retry-After', '1')
      return fail(http, answerTo(503, 'The store cannot be reached just now. Please try again.'))
    }
    needs.onBug(error, requestId)
    return fail(http, answerTo(500, `An error of ours. Please tell us this id: ${requestId}.`))
  }

  const answer = async (
    http: Http,
    path: string,
    respond: (requestId: string) => Promise<Response>,
  ): Promise<Response> => {
    const requestId = needs.newId()
    const started = performance.now()
    http.header('X-Request-Id', requestId)
    let response: Response
    try {
      response = await respond(requestId)
    } catch (error) {
      response = failWith(http, error, requestId)
    }
    const milliseconds = performance.now() - started
    const { status } = response
    needs.observe({ method: http.req.method, path, status, requestId, milliseconds })
    return response
  }

  const byPath = new Map<string, Route[]>()
  for (const route of needs.routes)
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), route])

  for (const [path, routes] of byPath) {
    const byMethod = new Map(routes.map((route) => [route.method as string, route]))
    const allowed = [...byMethod.keys(), ...(byMethod.has('GET') ? ['HEAD'] : [])].join(', ')
    app.all(path, (http) =>
      answer(http, path, async (requestId) => {
        const route = byMethod.get(methodOf(http))
        if (!route)
          throw new RequestError(405, `Allowed here: ${allowed}.`, null, { Allow: allowed })
        const given = await call(route, http, requestId)
        return succeed(route, http, await route.handle(given as never))
      }),
    )
  }
  app.notFound((http) =>
    answer(http, '*', () => {
      throw new RequestError(404, 'There is nothing at this URL.')
    }),
  )
  app.onError((error, http) => answer(http, '*', () => Promise.reject(error)))
  return app
}
