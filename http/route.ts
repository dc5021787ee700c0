import type { z } from 'zod'
import type { Instant } from '../domain/time.ts'
import type { Call } from './call.ts'

/**
 * Ascending: a higher level opens all that a lower one does (interface 3). Beside them stands INTEGRATOR: a request that
 * an integrator has signed and that is about no merchant in particular.
 */
export type AccessLevel = 'OPEN' | 'SECRET' | 'KEY' | 'INTEGRATOR'

export type Found = { readonly location: string }

export type UploadForm = {
  /** Whether the URL gives the right to it: whoever has none is not listened to, for an upload is large. */
  readonly admits: (params: Readonly<Record<string, string>>, at: Instant) => boolean
  /** What it belongs to: few large ones of each come at the same time. */
  readonly of: (params: Readonly<Record<string, string>>) => string
  /** Bytes of the whole body. */
  readonly largest: number
  /** What a part can be: a media type, and a schema when it is JSON. */
  readonly parts: readonly { readonly type: string; readonly schema?: z.ZodType }[]
}

/** What a route answers with: 200 and a value, the same or else 204, 201 and a Location, 302 and a
 * Location, or 204. */
type Success = 'value' | 'value or nothing' | 'created' | 'found' | 'nothing'

/** What a route answers with that makes its reply itself; some are never a 200. */
type Raw = 'raw' | 'raw otherwise'

export type Created<Value extends { readonly id: string } = { readonly id: string }> = {
  readonly location: string
  readonly value: Value
}

/** Anything that is not the API's JSON: a page, a PEM file, an image, metrics. */
export type RawReply = {
  /** Instead of 200; a redirect has its target among the headers. */
  readonly status?: RawStatus
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[]
}

/** Who else than a merchant has credentials: a payer's session, an access token, an OAuth client. */
export type Guard = 'session' | 'token' | 'client'

/** Errors that a route tells in words of its own: a page, or what RFC 6749 says. */
export type OwnErrors = {
  readonly type: string
  readonly schema: z.ZodType
  /** What they have beside the type and what each has of its own. */
  readonly headers?: Readonly<Record<string, string>>
  /** How an error is told that came before the route was asked; as everywhere else when absent. */
  readonly tell?: (status: number, description: string) => object
}

export type RawStatus = 200 | 303 | 400 | 401 | 403 | 404 | 409 | 429

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Route = {
  readonly method: Method
  /** From the root, with `:name` for parameters. */
  readonly path: string
  readonly access: AccessLevel
  /** Whose credentials the route itself checks; `access` is OPEN then. */
  readonly guard: Guard | undefined
  readonly group: string
  readonly summary: string
  readonly description: string | undefined
  readonly params: z.ZodObject | undefined
  readonly query: z.ZodObject | undefined
  readonly body: z.ZodType | undefined
  /** Takes multipart/form-data instead of JSON. */
  readonly upload: UploadForm | undefined
  /** Takes its body as a form (application/x-www-form-urlencoded) instead of JSON. */
  readonly takesForm: boolean
  /** What the route reads by itself, and tells in words of its own what is wrong with it: described, and not checked. */
  readonly ownQuery: z.ZodObject | undefined
  readonly ownForm: z.ZodType | undefined
  /** Changes nothing, whatever its method (RFC 9110, 9.2.1). */
  readonly isSafe: boolean
  readonly success: Success | Raw
  /** What raw replies carry, unless they say otherwise. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** Pages of any origin may ask it: it goes by what they bring, and by no cookie (Fetch Standard, 3.2). */
  readonly fromAnyOrigin: boolean
  /** What its errors mean, by status, beyond those that follow from the other members. */
  readonly errors: Readonly<Record<number, string>> | undefined
  readonly ownErrors: OwnErrors | undefined
  readonly reply: z.ZodType | undefined
  readonly replyTypes: readonly string[] | undefined
  readonly handle: (call: Call<never, never, never>) => unknown
}

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

/** A route is a value: it is mounted and described from the same members. */
export const route = <
  S extends Success | Raw,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Reply extends z.ZodType | undefined = undefined,
>(definition: {
  readonly method: Method
  readonly path: string
  readonly access: AccessLevel
  readonly guard?: Guard
  readonly group: string
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly upload?: UploadForm
  readonly takesForm?: boolean
  readonly ownQuery?: z.ZodObject
  readonly ownForm?: z.ZodType
  readonly isSafe?: boolean
  readonly fromAnyOrigin?: boolean
  readonly success: S
  readonly headers?: Readonly<Record<string, string>>
  readonly errors?: Readonly<Record<number, string>>
  readonly ownErrors?: OwnErrors
  readonly reply?: Reply
  readonly replyTypes?: readonly string[]
  readonly handle: (
    call: Call<Output<Params>, Output<Query>, Output<Body>>,
  ) => Answer<S, Reply> | Promise<Answer<S, Reply>>
}): Route => ({
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
  fromAnyOrigin: false,
  headers: undefined,
  errors: undefined,
  ownErrors: undefined,
  reply: undefined,
  replyTypes: undefined,
  ...definition,
})
