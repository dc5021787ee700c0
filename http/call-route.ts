import type { Context as HonoContext } from 'hono'
import type { z } from 'zod'
import type { FreshRead } from '../application/freshness.ts'
import type { RequestOfMerchant } from '../application/merchant-request.ts'
import { andThen, type MaybePromise } from '../application/maybe-promise.ts'
import { compiled } from '../domain/compiled.ts'
import { refuse, Refusal } from '../domain/refusal.ts'
import type { Instant } from '../domain/time.ts'
import { type Authenticate, usageHeaders } from './access.ts'
import type { Names } from './assets.ts'
import { afterOrigin, type Call, type Caller, type ReceivedRequest } from './call.ts'
import { checked, crossFieldIssues, readableOf } from './validation.ts'
import { RequestError, Malformed, withFurther, type Issue } from './errors.ts'
import { readFreshness, readFresh, accepts } from './negotiation.ts'
import { isForm, parseBody, parseForm, tinyBody, bodyIn } from './body-parser.ts'
import { withoutNothing } from './empty-values.ts'
import { headerOf, type Incoming, smallBody } from './body-reader.ts'
import { makeReceiving } from './request-queue.ts'
import type { makeReplies, Reply } from './replies.ts'
import type { Route } from './route.ts'
import { guardSession } from './own-cookie.ts'
import { makeTurns, type Turns } from './turns.ts'
import { nextTurn } from '../application/time-budget.ts'
import { StoreUnavailable } from '../application/event-store.ts'
import { malformedBy } from './refusal-answers.ts'

/** Who may not ask, or asks about what is not there, is told of the body alone. */
const findFaults = async (find: () => MaybePromise<readonly Issue[]>) => {
  try {
    return await find()
  } catch (error) {
    const isExpected =
      error instanceof Refusal || error instanceof RequestError || error instanceof StoreUnavailable
    if (isExpected) return []
    throw error
  }
}

const problemsIn = (error: unknown): Malformed | undefined => {
  if (error instanceof Malformed) return error
  return error instanceof Refusal ? malformedBy(error) : undefined
}

/** All that is wrong with a body, given what was found first (interface 2). */
const withFurtherFaults = async (
  { furtherFaults, ...route }: Pick<Route, 'body' | 'takesForm' | 'furtherFaults'>,
  call: Call,
  error: unknown,
  names: Names,
): Promise<unknown> => {
  const problems = problemsIn(error)
  const contentType = call.request.header('content-type')
  if (!problems || !route.body || isForm(route, contentType)) return error
  if (call.request.body.byteLength > smallBody) await nextTurn()
  const parsed = bodyIn(route.body, call.request.body, contentType, names)
  const body = readableOf(route.body, parsed)
  const issues = crossFieldIssues(route.body, body)
  const further = furtherFaults && (() => furtherFaults({ ...call, body }))
  return withFurther(problems, [...issues, ...(further ? await findFaults(further) : [])])
}

export type CallNeeds = {
  readonly names: Names
  readonly authenticate: Authenticate
  /** Undefined: taken from the Host header. */
  readonly publicUrl: string | undefined
  /** The peer of the socket, or the client that a trusted proxy names. */
  readonly clientAddress: (
    peer: string | undefined,
    header: (name: string) => string | undefined,
  ) => string | undefined
  /** The networks of an address, the widest first. */
  readonly networksOf: (address: string) => readonly string[]
  readonly now: () => Instant
  /** Runs idempotent work, and retries while another process holds a store. */
  readonly retryWhileHeld: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
}

export type Bindings = {
  incoming?: Incoming & {
    /** The request target as it was sent. */
    readonly url?: string
    readonly socket?: { readonly remoteAddress?: string }
  }
  /** Why this request cannot be answered. */
  failure?: Error
}

export type Http = HonoContext<{ Bindings: Bindings }>

/** Empty when the app is called without a socket. */
const bindingsOf = ({ env }: Http): Bindings => env ?? {}

const emptyBody: Uint8Array = new Uint8Array()

/** A malformed id in a path is a 404, not a 400. */
const paramsOf = (schema: z.ZodObject, raw: unknown) => {
  const result = compiled(schema).safeParse(raw)
  return result.success ? result.data : refuse('resource_is_unknown')
}

/** Before anything is read of it. */
const bareCall = (
  { params }: Route,
  raw: unknown,
  call: Pick<Call, 'request' | 'requestId' | 'at'>,
): Call => ({
  params: params && paramsOf(params, raw),
  query: undefined,
  body: undefined,
  caller: undefined,
  accept: undefined,
  ...call,
})

const withUsage = (reply: Reply, caller: Caller | undefined): Reply =>
  caller?.usage ? { ...reply, headers: { ...reply.headers, ...usageHeaders(caller.usage) } } : reply

type Calling = CallNeeds & {
  readonly succeed: ReturnType<typeof makeReplies>['succeed']
  readonly receiving: ReturnType<typeof makeReceiving>
  readonly turns: Turns
  /** Refusals of callers that have authenticated. */
  readonly ofCallers: WeakSet<object>
}

export const callingWith = (needs: CallNeeds, succeed: Calling['succeed']): Calling => ({
  ...needs,
  succeed,
  receiving: makeReceiving(needs.networksOf),
  turns: makeTurns(needs.networksOf),
  ofCallers: new WeakSet(),
})

type Turn = () => Promise<void>

type TurnsTaken = {
  /** Before the request's body is read, and again while it is. */
  readonly turn?: Turn
  /** When the read model is as new as it must be. */
  readonly readTurn?: Turn
}

const whoIs = ({ merchant, actor }: Caller): string => merchant || actor

/** Under which ids a request is logged and followed. */
export type Named = Pick<Call, 'requestId' | 'traceparent'> & {
  /** Set once the caller is known. */
  ofMerchant: RequestOfMerchant | undefined
}

type Matched = {
  readonly route: Route
  readonly req: Http['req']
  readonly named: Named
  readonly request: ReceivedRequest
  readonly read: FreshRead | undefined
}

/** Signatures cover the URL as sent; `req.url` is normalized. */
const urlOf = (publicUrl: string | undefined, http: Http): string => {
  const { url: target = http.req.url, headers } = bindingsOf(http).incoming ?? {}
  const url = target.startsWith('/') ? `http://${headers?.['host'] ?? ''}${target}` : target
  return publicUrl === undefined ? url : publicUrl + afterOrigin(url)
}

/** A client may always accept the interface's own media type; it then gets plain JSON. */
const isAccepted = (names: Names, accept: string | undefined, types: readonly string[]): boolean =>
  accepts(accept, types) || (types.includes('application/json') && accepts(accept, [names.json]))

const bodyOf = (
  names: Names,
  route: Route,
  body: Uint8Array,
  contentType: string | undefined,
  turn: Turn | undefined,
): unknown =>
  route.body &&
  (isForm(route, contentType)
    ? parseForm(route.body, body, contentType)
    : parseBody(route.body, body, contentType, names, turn))

const carryOut = async (
  { names, now, succeed }: Calling,
  { route, req, named, request, read }: Matched,
  caller: Caller | undefined,
  { turn, readTurn }: TurnsTaken,
): Promise<Reply> => {
  const contentType = request.header('content-type')
  const accept = request.header('accept')
  const replyTypes = route.replyTypes ?? [names.json, 'application/json']
  // A redirect's target negotiates for itself.
  if (route.success !== 'found' && !isAccepted(names, accept, replyTypes))
    throw new RequestError(406, `This resource is answered as ${replyTypes.join(' or ')}.`)
  const call = {
    params: route.params && paramsOf(route.params, req.param()),
    query: route.query && checked(route.query, withoutNothing(route.query, { ...req.query() })),
    body: undefined as unknown,
    caller,
    at: now(),
    requestId: named.requestId,
    traceparent: named.traceparent,
    accept,
    request,
  }
  const handled = (): unknown => route.handle(call)
  try {
    const body = bodyOf(names, route, request.body, contentType, turn)
    // Awaited only where it takes several turns.
    call.body = body instanceof Promise ? ((await body) as unknown) : body
    const answered = read
      ? readFresh(names, readFreshness(names, request.header), read, handled, readTurn)
      : handled()
    return withUsage(succeed(route, await answered), caller)
  } catch (error) {
    throw await withFurtherFaults(route, call, error, names)
  }
}

/** None for what costs next to nothing. */
const turnsOf = (
  { turns }: Calling,
  { route, request, read }: Matched,
  caller: Caller | undefined,
): TurnsTaken => {
  if (!caller) return route.isPrompt ? {} : { turn: () => turns.ofAnybody(request.remoteAddress) }
  const ofMerchant = () => turns.ofMerchant(whoIs(caller))
  if (request.body.byteLength > tinyBody) return { turn: ofMerchant }
  if (read && !route.isPrompt) return { readTurn: ofMerchant }
  turns.noteSmall()
  return {}
}

const proceed = async (calling: Calling, matched: Matched): Promise<Reply> => {
  const { route, request } = matched
  const asking = route.access === 'OPEN' ? undefined : calling.authenticate(route.access, request)
  guardSession(route, request)
  const caller = asking instanceof Promise ? await asking : asking
  if (caller?.merchant) {
    const { merchant, actor } = caller
    matched.named.ofMerchant = { merchant, actor, url: request.url, body: request.body }
  }
  try {
    const taken = turnsOf(calling, matched, caller)
    if (!taken.turn) return await carryOut(calling, matched, caller, taken)
    await taken.turn()
    const whose = caller ? [whoIs(caller)] : calling.networksOf(request.remoteAddress ?? '')
    return await calling.receiving.work(request.body, whose, () =>
      carryOut(calling, matched, caller, taken),
    )
  } catch (error) {
    if (caller && error instanceof Error) calling.ofCallers.add(error)
    throw error
  }
}

/** Makes a call of a route out of a request, and a reply out of what that returns. */
export const respond = (
  calling: Calling,
  route: Route,
  http: Http,
  named: Named,
  read: FreshRead | undefined,
): MaybePromise<Reply> => {
  const { authenticate, receiving, now } = calling
  const { req } = http
  const { incoming = {}, failure } = bindingsOf(http)
  if (failure) throw failure
  const { upload } = route
  if (upload && !upload.admits(req.param(), now())) return refuse('resource_is_unknown')
  const header = (name: string) => headerOf(req, incoming, name)
  const request = {
    method: req.method,
    url: () => urlOf(calling.publicUrl, http),
    header,
    headers: () => req.raw.headers,
    // Not a getter: each would cost a hidden class per request.
    remoteAddress: calling.clientAddress(incoming.socket?.remoteAddress, header),
    body: emptyBody,
  }
  const mayAsk = () => authenticate(route.access, { ...request, body: undefined })
  const answered = () => proceed(calling, { route, req, named, request, read })
  if (read) return calling.retryWhileHeld(answered)
  const receive = () =>
    andThen(receiving.read(route, req, incoming, request.remoteAddress, mayAsk), (body) => {
      request.body = body
      return answered()
    })
  if (!upload?.mayBeSent) return receive()
  return upload
    .mayBeSent(bareCall(route, req.param(), { request, requestId: named.requestId, at: now() }))
    .then((may) => (may ? receive() : answered()))
}
