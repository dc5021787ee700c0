import { Hono } from 'hono'
import type { Freshness, FreshRead } from '../application/freshness.ts'
import type { MaybePromise } from '../application/maybe-promise.ts'
import {
  callingWith,
  respond,
  type Bindings,
  type CallNeeds,
  type Http,
  type Named,
} from './call-route.ts'
import { RequestError, Malformed } from './errors.ts'
import { freshnessHeaders, preferred } from './negotiation.ts'
import type { Instant } from '../domain/time.ts'
import type { RequestOfMerchant } from '../application/merchant-request.ts'
import { compressed, isText } from './compression.ts'
import { headerOf } from './body-reader.ts'
import { headersOfAll, makeReplies, type Reply } from './replies.ts'
import type { OwnErrors, Route } from './route.ts'
import type { Names } from './assets.ts'
import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { Refusal, type RefusedDecision } from '../domain/refusal.ts'
import { steadyTime } from '../application/machine.ts'
import { readTraceparent, startSpan, traceIdOf } from '../application/tracing.ts'

/** The longest id or field name. */
const longest = 64

const short = (text: string | undefined): string | undefined => text?.slice(0, longest)

const refusalIn = (error: unknown): Refusal | undefined => {
  const cause = error instanceof Malformed ? error.cause : error
  return cause instanceof Refusal ? cause : undefined
}

/** Why a request was refused, for the log; never what it sent. */
const reasonOf = (error: unknown): string | undefined => {
  const refusal = refusalIn(error)
  if (refusal) return refusal.code
  if (error instanceof RequestError) return error.message
  if (!(error instanceof Malformed)) return undefined
  return `wrong fields: ${Object.keys(error.details).map(short).slice(0, 10).join(', ')}`
}

type ErrorReport = {
  readonly reason: string | undefined
  readonly decision?: RefusedDecision | undefined
  /** What the request should have signed. */
  readonly toSign?: string | undefined
}

const reportOf = (error: unknown): ErrorReport => ({
  reason: reasonOf(error),
  decision: refusalIn(error)?.decision,
  ...(error instanceof RequestError && { toSign: error.toSign }),
})

type Kind = 'merchant' | 'user' | 'integrator'

type Asker = Readonly<Record<Kind, string | undefined>>

/** Who the request claims to come from. */
const askerOf = (
  { merchant, user, integrator }: Readonly<Record<Kind, string>>,
  header: (name: string) => string | undefined,
): Asker => ({
  merchant: short(header(merchant)),
  user: short(header(user)),
  integrator: short(header(integrator)),
})

/**
 * Finds paths without parameters by name and all others in one step. Refuses paths that would have
 * to be looked up step by step, such as /a/:b beside /a/b/:c; /a/b beside /a/:b is fine.
 */
class StaticFirstRouter<Handler> implements Router<Handler> {
  readonly name = 'StaticFirstRouter'
  readonly #byMethod = new Map<string, Map<string, Result<Handler>>>()
  readonly #others = new RegExpRouter<Handler>()

  add(method: string, path: string, handler: Handler): void {
    if (/[:*]/.test(path)) return this.#others.add(method, path, handler)
    const byPath = this.#byMethod.get(method) ?? new Map<string, Result<Handler>>()
    this.#byMethod.set(method, byPath.set(path, [[[handler, {}]]]))
  }

  match(method: string, path: string): Result<Handler> {
    return this.#byMethod.get(method)?.get(path) ?? this.#others.match(method, path)
  }
}

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

/** Who gets the error page; operators find the request id in the log. */
export type FailedRequest = {
  readonly header: (name: string) => string | undefined
  readonly requestId: string
  readonly now: Instant
}

export type AppNeeds = CallNeeds & {
  readonly routes: readonly Route[]
  /** Whether clients come over TLS only. */
  readonly isSecure: boolean
  readonly freshness: Freshness
  readonly newId: () => string
  readonly observe: (request: {
    readonly method: string
    readonly path: string
    readonly status: number
    readonly requestId: string
    readonly traceId: string | undefined
    /** Whether its trace has a span of the service. */
    readonly isRecorded: boolean
    readonly milliseconds: number
    /** Only for the merchant interface. */
    readonly refused?: Refused | undefined
    readonly ofMerchant?: RequestOfMerchant | undefined
  }) => void
  /** Whether a dependency failed, which is a 503. */
  readonly isOutage: (error: unknown) => boolean
  readonly onBug: (error: unknown, requestId: string) => void
  /** An error as a page, for browsers. */
  readonly errorPage: (failed: Reply, request: FailedRequest) => Promise<Reply>
}

type Refused = ErrorReport &
  Partial<Asker> & {
    readonly address?: string | undefined
    /** An OAuth client. */
    readonly client?: string | undefined
    /** The path that was asked for. */
    readonly target?: string | undefined
  }

/** HEAD sends no body, so cancel a stream. */
const unread = async (body: Reply['body']): Promise<Reply['body']> => {
  if (!(body instanceof ReadableStream)) return body
  await body.cancel()
  return null
}

/** Whether to answer with an error page instead of JSON. */
const isForPeople = ({ req }: Http, path: string, ownErrors: OwnErrors | undefined): boolean =>
  (ownErrors?.type === 'text/html' || (path === '*' && !/^\/+[^/]*\/v\d+\//.test(req.path))) &&
  preferred(req.header('accept'), ['application/json', 'text/html']) === 'text/html'

type Failing = {
  readonly failWith: ReturnType<typeof makeReplies>['failWith']
  readonly hasAuthenticated: (error: unknown) => boolean
}

const addressWith =
  ({ clientAddress }: AppNeeds) =>
  ({ req, env }: Http) =>
    clientAddress(env?.incoming?.socket?.remoteAddress, (name) => req.header(name))

/** A caller's own id of a request: short, and safe in logs, commands and headers. */
const ownRequestId = /^[A-Za-z0-9][\w.:-]{0,127}$/

const requestIdIn = ({ req }: Http): string | undefined =>
  ownRequestId.exec(req.header('x-request-id') ?? '')?.[0]

const responseOf = (
  body: Reply['body'],
  status: number,
  headers: Record<string, string>,
  cookies: readonly string[],
): Response => {
  // A plain record of headers is written to the socket directly.
  if (cookies.length === 0) return new Response(body, { status, headers })
  const set = cookies.map((cookie): [string, string] => ['Set-Cookie', cookie])
  return new Response(body, { status, headers: [...Object.entries(headers), ...set] })
}

/** The trace that a request is part of, and the span of answering it, if they are recorded. */
const traceOf = ({ req, env }: Http, route: string, requestId: string) => {
  const parent = readTraceparent(headerOf(req, env?.incoming ?? {}, 'traceparent'))
  // Neither the path nor its query: they may hold secrets of payers.
  const span = startSpan(parent, () => ({
    name: `${req.method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': req.method,
      'http.route': route,
      'daybook.request.id': requestId,
    },
  }))
  return { span, traceparent: span?.traceparent ?? parent }
}

const isRead = ({ req: { method } }: Http): boolean => method === 'GET' || method === 'HEAD'

/** Answers a request with what is made for it, or with its error, and observes it. */
const answering = (needs: AppNeeds, { failWith, hasAuthenticated }: Failing) => {
  const { names } = needs
  const ofAll = headersOfAll(needs.isSecure)
  const addressOf = addressWith(needs)

  /** Who asked, for the log; never a person. */
  const askerFrom = (http: Http, error: unknown) => ({
    ...askerOf(names, (name) => http.req.header(name)),
    hasAuthenticated: hasAuthenticated(error),
    address: addressOf(http),
    target: http.req.path,
  })

  return async (
    http: Http,
    path: string,
    make: (named: Named, read: FreshRead | undefined) => MaybePromise<Reply>,
    {
      access = 'OPEN',
      ownErrors,
      fromAnyOrigin,
    }: Partial<Pick<Route, 'access' | 'ownErrors' | 'fromAnyOrigin'>> = {},
  ): Promise<Response> => {
    const requestId = requestIdIn(http) ?? needs.newId()
    const started = steadyTime()
    const { span, traceparent } = traceOf(http, path, requestId)
    const named: Named = { requestId, traceparent, ofMerchant: undefined }
    const read = isRead(http) ? needs.freshness.read() : undefined
    let reply: Reply
    let refused: Refused | undefined
    try {
      reply = await make(named, read)
      refused = reply.refused && { ...reply.refused, address: addressOf(http) }
    } catch (error) {
      refused = { ...reportOf(error), ...(access !== 'OPEN' && askerFrom(http, error)) }
      const failed = failWith(error, requestId, ownErrors)
      const header = (name: string) => http.req.header(name)
      reply = isForPeople(http, path, ownErrors)
        ? await needs.errorPage(failed, { header, requestId, now: needs.now() })
        : failed
    }
    if (isText(reply)) reply = await compressed(requestFacts(http), reply)
    const milliseconds = steadyTime() - started
    const { status, cookies = [] } = reply
    const body = http.req.method === 'HEAD' ? await unread(reply.body) : reply.body
    span?.end({ 'http.response.status_code': status }, status < 500 ? undefined : String(status))
    const traced = { traceId: traceparent && traceIdOf(traceparent), isRecorded: !!span }
    const [method, ofMerchant] = [http.req.method, named.ofMerchant]
    needs.observe({ method, path, status, requestId, ...traced, milliseconds, refused, ofMerchant })
    const headers: Record<string, string> = {
      'X-Request-Id': requestId,
      ...freshnessHeaders(names, needs.freshness, read),
      ...ofAll,
      ...reply.headers,
    }
    if (traceparent !== undefined) headers['traceresponse'] = traceparent
    if (fromAnyOrigin) Object.assign(headers, forAnyOrigin(names))
    return responseOf(body, status, headers, cookies)
  }
}

/** What a browser or program says of its request. */
const requestFacts = ({ req, env }: Http) => ({
  method: req.method,
  header: (name: string) => headerOf(req, env?.incoming ?? {}, name),
  hasQuery: req.url.includes('?'),
})

/** The Hono app for the routes; unknown paths and methods are answered with errors too. */
export const makeApp = (needs: AppNeeds) => {
  const { names } = needs
  const { succeed, failWith } = makeReplies(needs)
  const calling = callingWith(needs, succeed)
  const answer = answering(needs, {
    failWith,
    hasAuthenticated: (error) => error instanceof Error && calling.ofCallers.has(error),
  })
  const addressOf = addressWith(needs)
  const app = new Hono<{ Bindings: Bindings }>({ router: new StaticFirstRouter() })

  const byPath = new Map<string, Route[]>()
  for (const route of needs.routes) {
    const { method, path } = route
    byPath.set(path, [...(byPath.get(path) ?? []), route])
    app.on(method, path, (http) =>
      answer(http, path, (named, read) => respond(calling, route, http, named, read), route),
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
      return answer(http, '*', async () => {
        await calling.turns.ofAnybody(addressOf(http))
        throw new RequestError(404, 'There is nothing at this URL.')
      })
    const { path, ownErrors } = first
    const methods = routes.map(({ method }) => method)
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
    if (http.req.method === 'OPTIONS' && routes.some(({ fromAnyOrigin }) => fromAnyOrigin))
      return answer(http, path, async () => preflight(allowed, names), { fromAnyOrigin: true })
    const refused = async () => {
      await calling.turns.ofAnybody(addressOf(http))
      throw new RequestError(405, `Allowed here: ${allowed}.`, null, { Allow: allowed })
    }
    return answer(http, path, refused, { ownErrors })
  })
  app.onError((error, http) => answer(http, '*', () => Promise.reject(error)))
  return app
}
