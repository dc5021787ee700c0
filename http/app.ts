import { Hono, type Context as HonoContext } from 'hono'
import type { z } from 'zod'
import type { Freshness, FreshRead } from '../application/freshness.ts'
import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import { compiled } from '../domain/compiled.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import type { Authenticate } from './access.ts'
import type { Names } from './brand.ts'
import { afterOrigin, type Call, type Caller } from './call.ts'
import { checked } from './checking.ts'
import { RequestError } from './errors.ts'
import { withFurtherFaults } from './further-faults.ts'
import { askedFreshness, freshnessHeaders, readAsAsked } from './freshness.ts'
import { accepts, preferred } from './negotiation.ts'
import type { FailedRequest } from './payer/error-page.ts'
import { isForm, parseBody, parseForm } from './parsing.ts'
import { headerOf, type Incoming } from './reading.ts'
import { makeReceiving } from './receiving.ts'
import { StaticFirstRouter } from './static-first-router.ts'
import { usageHeaders } from './request-usage.ts'
import { headersOfAll, makeReplies, type Reply } from './replies.ts'
import type { OwnErrors, Route } from './route.ts'
import { askerOf, toldOf, type Asker, type ToldOfError } from './told-of-errors.ts'
import { guardSession } from './session-guard.ts'
import type { ReceivedRequest } from './unauthenticated-request.ts'

export type AppNeeds = {
  readonly routes: readonly Route[]
  readonly names: Names
  /** Whether clients come over TLS only. */
  readonly isSecure: boolean
  readonly authenticate: Authenticate
  readonly freshness: Freshness
  /** Undefined: taken from the Host header. */
  readonly publicUrl: string | undefined
  /** The peer of the socket, or the client that a trusted proxy names. */
  readonly clientAddress: (
    peer: string | undefined,
    header: (name: string) => string | undefined,
  ) => string | undefined
  readonly now: () => Instant
  readonly newId: () => string
  readonly observe: (request: {
    readonly method: string
    readonly path: string
    readonly status: number
    readonly requestId: string
    readonly milliseconds: number
    /** Only for the merchant interface. */
    readonly refused?: Refused | undefined
  }) => void
  /** Runs idempotent work, and retries while another process holds a store. */
  readonly retryWhileHeld: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
  /** Whether a dependency failed, which is a 503. */
  readonly isOutage: (error: unknown) => boolean
  readonly onBug: (error: unknown, requestId: string) => void
  /** An error as a page, for browsers. */
  readonly errorPage: (failed: Reply, request: FailedRequest) => Promise<Reply>
}

type Refused = ToldOfError &
  Partial<Asker> & {
    readonly address?: string | undefined
    /** The path that was asked for. */
    readonly target?: string | undefined
  }

type Bindings = {
  incoming?: Incoming & {
    /** The request target as it was sent. */
    readonly url?: string
    readonly socket?: { readonly remoteAddress?: string }
  }
  /** Why this request cannot be answered. */
  failure?: Error
}
type Http = HonoContext<{ Bindings: Bindings }>

/** Empty when the app is called without a socket. */
const bindingsOf = ({ env }: Http): Bindings => env ?? {}

const emptyBody: Uint8Array = new Uint8Array()

/** Before anything is read of it. */
const bareCall = (request: ReceivedRequest, requestId: string, at: Instant): Call => ({
  ...{ params: undefined, query: undefined, body: undefined, caller: undefined },
  ...{ accept: undefined, at, requestId, request },
})

/** A malformed id in a path is a 404, not a 400. */
const paramsOf = (schema: z.ZodObject, given: unknown) => {
  const result = compiled(schema).safeParse(given)
  return result.success ? result.data : refuse('resource_is_unknown')
}

const withUsage = (reply: Reply, caller: Caller | undefined): Reply =>
  caller?.usage ? { ...reply, headers: { ...reply.headers, ...usageHeaders(caller.usage) } } : reply

/** HEAD sends no body, so cancel a stream. */
const unread = async (body: Reply['body']): Promise<Reply['body']> => {
  if (!(body instanceof ReadableStream)) return body
  await body.cancel()
  return null
}

/** Whether to answer with an error page instead of JSON. */
const isForPeople = ({ req }: Http, path: string, ownErrors: OwnErrors | undefined): boolean =>
  (ownErrors?.type === 'text/html' ||
    (path === '*' && /^\/(payer(?!\/v1\/)|oauth2|portal)(\/|$)/.test(req.path))) &&
  preferred(req.header('accept'), ['application/json', 'text/html']) === 'text/html'

/** Any origin may read the answer and these headers (Fetch Standard, 3.2.2). */
const forAnyOrigin = ({ position }: Names) => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': `WWW-Authenticate, X-Request-Id, ${position}, Age`,
})

const allowedHeaders = ['Authorization', 'Cache-Control', 'Content-Type', 'DPoP']

const preflight = (methods: string, { minPosition }: Names): Reply => ({
  status: 204,
  headers: {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': [...allowedHeaders, minPosition].join(', '),
    'Access-Control-Max-Age': '600',
  },
  body: null,
})

/** The Hono app for the routes; unknown paths and methods are answered with errors too. */
export const makeApp = (needs: AppNeeds) => {
  const { names, authenticate } = needs
  const { succeed, failWith } = makeReplies(needs)
  const ofAll = headersOfAll(needs.isSecure)
  const receiving = makeReceiving()
  const app = new Hono<{ Bindings: Bindings }>({ router: new StaticFirstRouter() })

  /** Signatures cover the URL as sent; `req.url` is normalized. */
  const urlOf = (http: Http): string => {
    const { url: target = http.req.url, headers } = bindingsOf(http).incoming ?? {}
    const url = target.startsWith('/') ? `http://${headers?.['host'] ?? ''}${target}` : target
    return needs.publicUrl === undefined ? url : needs.publicUrl + afterOrigin(url)
  }

  /** A client may always accept the interface's own media type; it then gets plain JSON. */
  const isAccepted = (accept: string | undefined, types: readonly string[]): boolean =>
    accepts(accept, types) || (types.includes('application/json') && accepts(accept, [names.json]))

  /** Refusals of callers that have authenticated. */
  const ofCallers = new WeakSet<object>()

  const proceed = async (
    route: Route,
    http: Http,
    requestId: string,
    request: ReceivedRequest,
    read: FreshRead | undefined,
  ): Promise<Reply> => {
    const asking = route.access === 'OPEN' ? undefined : authenticate(route.access, request)
    guardSession(route, request)
    const caller = asking instanceof Promise ? await asking : asking
    try {
      return await carryOut(route, http, requestId, request, caller, read)
    } catch (error) {
      if (caller && error instanceof Error) ofCallers.add(error)
      throw error
    }
  }

  const bodyOf = (route: Route, body: Uint8Array, contentType: string | undefined): unknown =>
    route.body &&
    (isForm(route, contentType)
      ? parseForm(route.body, body, contentType)
      : parseBody(route.body, body, contentType, names))

  const carryOut = async (
    route: Route,
    { req }: Http,
    requestId: string,
    request: ReceivedRequest,
    caller: Caller | undefined,
    read: FreshRead | undefined,
  ): Promise<Reply> => {
    const contentType = request.header('content-type')
    const accept = request.header('accept')
    const replyTypes = route.replyTypes ?? [names.json, 'application/json']
    // A redirect's target negotiates for itself.
    if (route.success !== 'found' && !isAccepted(accept, replyTypes))
      throw new RequestError(406, `This resource is answered as ${replyTypes.join(' or ')}.`)
    const call = {
      params: route.params && paramsOf(route.params, req.param()),
      query: route.query && checked(route.query, req.query()),
      body: undefined as unknown,
      caller,
      at: needs.now(),
      requestId,
      accept,
      request,
    }
    const handled = (): unknown => route.handle(call as never)
    try {
      const body = bodyOf(route, request.body, contentType)
      // Awaited only where it takes several turns.
      call.body = body instanceof Promise ? ((await body) as unknown) : body
      const answered = read
        ? readAsAsked(names, askedFreshness(names, request.header), read, handled)
        : handled()
      return withUsage(succeed(route, await answered), caller)
    } catch (error) {
      throw await withFurtherFaults(route, call, error, names)
    }
  }

  const respond = (
    route: Route,
    http: Http,
    requestId: string,
    read: FreshRead | undefined,
  ): MaybePromise<Reply> => {
    const { req } = http
    const { incoming = {}, failure } = bindingsOf(http)
    if (failure) throw failure
    const { upload } = route
    if (upload && !upload.admits(req.param(), needs.now())) return refuse('resource_is_unknown')
    const header = (name: string) => headerOf(req, incoming, name)
    const request = {
      method: req.method,
      url: () => urlOf(http),
      header,
      headers: () => req.raw.headers,
      // Not a getter: each would cost a hidden class per request.
      remoteAddress: needs.clientAddress(incoming.socket?.remoteAddress, header),
      body: emptyBody,
    }
    const mayAsk = () => authenticate(route.access, { ...request, body: undefined })
    const answered = () => proceed(route, http, requestId, request, read)
    if (read) return needs.retryWhileHeld(answered)
    const receive = () =>
      andThen(receiving.read(route, req, incoming, mayAsk), (body) => {
        request.body = body
        return receiving.work(body, answered)
      })
    if (!upload?.mayBeSent) return receive()
    return upload
      .mayBeSent(bareCall(request, requestId, needs.now()))
      .then((may) => (may ? receive() : answered()))
  }

  /** Who asked, for the log; never a person. */
  const askerFrom = ({ req, env }: Http, error: unknown) => ({
    ...askerOf(names, (name) => req.header(name)),
    hasAuthenticated: error instanceof Error && ofCallers.has(error),
    address: needs.clientAddress(env?.incoming?.socket?.remoteAddress, (name) => req.header(name)),
    target: req.path,
  })

  const answer = async (
    http: Http,
    path: string,
    make: (requestId: string, read: FreshRead | undefined) => MaybePromise<Reply>,
    {
      access = 'OPEN',
      ownErrors,
      fromAnyOrigin,
    }: Partial<Pick<Route, 'access' | 'ownErrors' | 'fromAnyOrigin'>> = {},
  ): Promise<Response> => {
    const requestId = needs.newId()
    const started = performance.now()
    const isRead = http.req.method === 'GET' || http.req.method === 'HEAD'
    const read = isRead ? needs.freshness.read() : undefined
    let reply: Reply
    let refused: Refused | undefined
    try {
      reply = await make(requestId, read)
    } catch (error) {
      refused = { ...toldOf(error), ...(access !== 'OPEN' && askerFrom(http, error)) }
      const failed = failWith(error, requestId, ownErrors)
      const acceptLanguage = http.req.header('accept-language')
      reply = isForPeople(http, path, ownErrors)
        ? await needs.errorPage(failed, { acceptLanguage, requestId, now: needs.now() })
        : failed
    }
    const milliseconds = performance.now() - started
    const { status, cookies = [] } = reply
    const body = http.req.method === 'HEAD' ? await unread(reply.body) : reply.body
    needs.observe({ method: http.req.method, path, status, requestId, milliseconds, refused })
    const headers: Record<string, string> = {
      'X-Request-Id': requestId,
      ...freshnessHeaders(names, needs.freshness, read),
      ...ofAll,
      ...reply.headers,
    }
    if (fromAnyOrigin) Object.assign(headers, forAnyOrigin(names))
    // A plain record of headers is written to the socket directly.
    if (cookies.length === 0) return new Response(body, { status, headers })
    const set = cookies.map((cookie): [string, string] => ['Set-Cookie', cookie])
    return new Response(body, {
      status,
      headers: [...Object.entries(headers), ...set],
    })
  }

  const byPath = new Map<string, Route[]>()
  for (const route of needs.routes) {
    const { method, path } = route
    byPath.set(path, [...(byPath.get(path) ?? []), route])
    app.on(method, path, (http) =>
      answer(http, path, (requestId, read) => respond(route, http, requestId, read), route),
    )
  }

  const allMethods = [...new Set(needs.routes.map(({ method }) => method))]
  /** The routes of the path that a target matches, whatever their method. */
  const routesAt = (target: string): readonly Route[] => {
    const matched = new Set(
      allMethods.map((method) => app.router.match(method, target)[0][0]?.[0][1].path),
    )
    const found = [...byPath].find(([path]) => matched.has(path))
    return found?.[1] ?? []
  }
  // Not routes for all methods: these overlap with the others, and the router refuses them.
  app.notFound((http) => {
    const routes = routesAt(http.req.path)
    const [first] = routes
    if (!first)
      return answer(http, '*', () => {
        throw new RequestError(404, 'There is nothing at this URL.')
      })
    const { path, ownErrors } = first
    const methods = routes.map(({ method }) => method)
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
    if (http.req.method === 'OPTIONS' && routes.some(({ fromAnyOrigin }) => fromAnyOrigin))
      return answer(http, path, async () => preflight(allowed, names), { fromAnyOrigin: true })
    const refused = () => {
      throw new RequestError(405, `Allowed here: ${allowed}.`, null, { Allow: allowed })
    }
    return answer(http, path, refused, { ownErrors })
  })
  app.onError((error, http) => answer(http, '*', () => Promise.reject(error)))
  return app
}
