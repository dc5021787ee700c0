import type { z } from 'zod'
import type { MaybePromise } from '../application/maybe-promise.ts'
import type { Instant } from '../domain/time.ts'
import type { Call } from './call.ts'
import type { Issue } from './errors.ts'

/** Groups of operations, in reading order for newcomers. */
export const groups = {
  'Payment request': 'Ask a payer for money, capture, release and refund it, and read the outcome.',
  POS: 'The points of sale that payment requests come from.',
  Shortlink: 'Codes that payers scan, on a screen or in print.',
  Attachment: 'Receipts, item lists and pictures for a payment that was accepted.',
  Dispute: 'Captures that payers have disputed, and the evidence of the merchant.',
  'Permission request': 'Ask a payer for access to what they are known by.',
  OAuth: 'The authorization server: applications, sign-in and consent, tokens, claims.',
  Ledger: 'The books of the merchant, and their reports.',
  Settlement: 'What was paid out, and to which account.',
  Log: 'The lines of reports and settlements.',
  Merchant: 'What is known of the merchant.',
  User: 'Who may make requests for the merchant.',
  'Status code': 'What the numbers in outcomes mean.',
  Callback: 'What the service sends to the addresses of the merchant.',
  Transparency: 'Checkpoints and proofs that the log is only ever added to.',
  Audit: 'What auditors see: streams, events, stories, refusals, checkpoints.',
  Payer: 'What an app of payers uses.',
  Pages: 'What payers see in a browser.',
  Portal: 'What the staff of a merchant see in a browser.',
  Operator: 'What the people of the operator see in a browser.',
  Service: 'The service itself: its health, its keys, this description.',
  Sandbox: 'The side of the payer, and the clock, for rehearsals.',
} as const satisfies Readonly<Record<string, string>>

/** The group that a route carries; tags and documentation follow. */
export type Group = keyof typeof groups

/**
 * Ascending: each level includes the lower ones (interface 3). INTEGRATOR stands apart: a request
 * signed by an integrator, about no particular merchant.
 */
export type AccessLevel = 'OPEN' | 'SECRET' | 'KEY' | 'INTEGRATOR'

export type Found = { readonly location: string }

export type UploadForm = {
  /** Checked before the body is read: whether the URL grants the upload. */
  readonly admits: (params: Readonly<Record<string, string>>, at: Instant) => boolean
  /** Asked before the body is read, too: without, who asks is answered as with no body. */
  readonly mayBeSent?: (call: Call) => Promise<boolean>
  /** Uploads are limited per key, such as a payment. */
  readonly of: (params: Readonly<Record<string, string>>) => string
  /** Bytes of the whole body. */
  readonly largest: number
  /** Media type of a part, and its schema when it is JSON. */
  readonly parts: readonly { readonly type: string; readonly schema?: z.ZodType }[]
}

/** 200 with a value, or 204 without; 201 or 302 with a Location; 204. */
export type Success = 'value' | 'value or nothing' | 'created' | 'found' | 'nothing'

/** The route makes its own reply; some are never a 200. */
export type Raw = 'raw' | 'raw otherwise'

export type Created<Value extends { readonly id: string } = { readonly id: string }> = {
  readonly location: string
  readonly value: Value
}

/** Anything but the API's JSON: a page, a PEM file, an image, metrics. */
export type RawReply = {
  /** Instead of 200; a redirect sets Location in `headers`. */
  readonly status?: RawStatus
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly headers?: Readonly<Record<string, string>>
  /** `Set-Cookie` values. */
  readonly cookies?: readonly string[]
  /** Why it refuses, and the OAuth client that asked by its own word, for the log. */
  readonly refused?: { readonly reason: string; readonly client?: string | undefined }
}

/** Credentials besides a merchant's: a payer's session, an access token, an OAuth client. */
export type Guard = 'session' | 'token' | 'client'

/** How a route words its errors: as a page, or as in RFC 6749. */
export type OwnErrors = {
  readonly type: string
  readonly schema: z.ZodType
  readonly headers?: Readonly<Record<string, string>>
  /** Words errors from before the route ran; by default as everywhere. */
  readonly tell?: (status: number, description: string) => object
}

export type RawStatus = 200 | 303 | 400 | 401 | 403 | 404 | 409 | 410 | 429 | 503

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What a route may have besides; absent where it has none. */
type Options = {
  /** Credentials that the route checks itself; `access` is then OPEN. */
  readonly guard: Guard
  readonly description: string
  /** Takes multipart/form-data instead of JSON. */
  readonly upload: UploadForm
  /** Documented only: the route reads and checks these itself. */
  readonly ownQuery: z.ZodObject
  readonly ownForm: z.ZodType
  /** Default headers of raw replies. */
  readonly headers: Readonly<Record<string, string>>
  /** Meanings of further errors, by status. */
  readonly errors: Readonly<Record<number, string>>
  readonly ownErrors: OwnErrors
  readonly replyTypes: readonly string[]
}

type Switches = {
  /** Takes a form (application/x-www-form-urlencoded) instead of JSON, or either. */
  readonly takesForm: boolean | 'or JSON'
  /** Changes nothing, whatever its method (RFC 9110, 9.2.1). */
  readonly isSafe: boolean
  /** Takes no turn, though anybody may ask or it reads; others do, by cost (`makeTurns`). */
  readonly isPrompt: boolean
  /** Open to pages of any origin; uses no cookies (Fetch Standard, 3.2). */
  readonly fromAnyOrigin: boolean
}

type Place = {
  readonly method: Method
  /** From the root, with `:name` for parameters. */
  readonly path: string
}

export type Route = Place &
  Switches & { readonly [Name in keyof Options]: Options[Name] | undefined } & {
    readonly access: AccessLevel
    readonly group: Group
    readonly summary: string
    readonly params: z.ZodObject | undefined
    readonly query: z.ZodObject | undefined
    readonly body: z.ZodType | undefined
    readonly success: Success | Raw
    readonly reply: z.ZodType | undefined
    readonly furtherFaults: FindFurtherFaults | undefined
    /** A method, so that a handler may declare the types its own schemas give. */
    handle(call: Call): unknown
  }

/**
 * What else is wrong with a body that has faults: checks of what of it could be read (`body`) with
 * each other and with what is there. Not asked for right bodies.
 */
export type FindFurtherFaults<Params = unknown, Body = unknown> = {
  find(call: Call<Params, unknown, Body>): MaybePromise<readonly Issue[]>
}['find']

type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : never

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

type Answer<S extends Success | Raw, Reply> = S extends 'value'
  ? Input<Reply>
  : S extends 'value or nothing'
    ? Input<Reply> | undefined
    : S extends 'created'
      ? Created<Input<Reply> & { readonly id: string }>
      : S extends 'found'
        ? Found
        : S extends Raw
          ? RawReply
          : void

/** What routes of one kind share. */
export type Kind<S> = Partial<Options & Switches> & {
  readonly access: AccessLevel
  readonly group: Group
  readonly success?: S
}

export type Own<Params, Query, Body, Reply, S extends Success | Raw> = Partial<
  Options & Switches
> & {
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** By default the value of `reply`; nothing without. */
  readonly success?: S
  readonly reply?: Reply
  readonly furtherFaults?: FindFurtherFaults<Output<Params>, never> | undefined
  readonly handle: (
    call: Call<Output<Params>, Output<Query>, Output<Body>>,
  ) => Answer<S, Reply> | Promise<Answer<S, Reply>>
}

export type Default<Reply> = Reply extends z.ZodType ? 'value' : 'nothing'

/** A route is a value that is both mounted and documented. */
export const route = <
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Reply extends z.ZodType | undefined = undefined,
  S extends Success | Raw = Default<Reply>,
>(
  definition: Place & Kind<S> & Own<Params, Query, Body, Reply, S>,
): Route => ({
  guard: undefined,
  description: undefined,
  params: undefined,
  query: undefined,
  body: undefined,
  upload: undefined,
  takesForm: false,
  ownQuery: undefined,
  ownForm: undefined,
  isSafe: definition.method === 'GET',
  isPrompt: false,
  fromAnyOrigin: false,
  success: definition.reply ? 'value' : 'nothing',
  headers: undefined,
  errors: undefined,
  ownErrors: undefined,
  reply: undefined,
  replyTypes: undefined,
  furtherFaults: undefined,
  ...definition,
})

/** What all of these makers of routes need. */
export type NeedsOf<Makers> = [Makers] extends [(needs: infer Needs, ...rest: never[]) => unknown]
  ? Needs
  : never

/** Makes routes of one kind, by method and path: `get('/health/live', { … })`. */
export const routesOf = <Usual extends Success | Raw = never>(kind: Kind<Usual>) => {
  const anyKind: Kind<Success | Raw> = kind
  const by =
    (method: Method) =>
    <
      Params extends z.ZodObject | undefined = undefined,
      Query extends z.ZodObject | undefined = undefined,
      Body extends z.ZodType | undefined = undefined,
      Reply extends z.ZodType | undefined = undefined,
      S extends Success | Raw = [Usual] extends [never] ? Default<Reply> : Usual,
    >(
      path: string,
      own: Own<Params, Query, Body, Reply, S>,
    ): Route =>
      route({ ...(anyKind as Kind<S>), ...own, method, path })
  return { get: by('GET'), post: by('POST'), put: by('PUT'), remove: by('DELETE') }
}
