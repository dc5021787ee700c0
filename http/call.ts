import type { Context } from '../application/handle.ts'
import type { Instant } from '../domain/time.ts'
import type { ReceivedRequest } from './unauthenticated-request.ts'

/** Who makes a merchant request: a user of the merchant, or an integrator on its behalf. */
export type Caller = {
  /** Empty when the request is about no merchant in particular. */
  readonly merchant: string
  /** As it stands in the metadata of events: `user:pos1`, `integrator:acme`. */
  readonly actor: string
  readonly mayManageUsers: () => Promise<boolean>
  /** Whether the request was signed with a key (level KEY). */
  readonly isSigned: boolean
}

/** A request that has passed all checks. */
export type Call<Params = unknown, Query = unknown, Body = unknown> = {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Undefined on open routes. */
  readonly caller: Caller | undefined
  readonly at: Instant
  readonly requestId: string
  /** The Accept header, for routes that choose by it. */
  readonly accept: string | undefined
  /** The request as it came: headers, cookies, the query with its repetitions, the bytes of an upload. */
  readonly request: ReceivedRequest
}

/** Path and query of a full URL. */
export const afterOrigin = (url: string): string => url.replace(/^[^/]*\/\/[^/?]*/, '')

/** Path and query of a request; the rest of its URL is whatever the client called this service. */
export const targetOf = ({ request }: Call): string => afterOrigin(request.url())

/** The query of a request as it came, with its repetitions. */
export const searchOf = (call: Call): URLSearchParams => {
  const [, search = ''] = /\?([^#]*)/.exec(targetOf(call)) ?? []
  return new URLSearchParams(search)
}

/** The caller of a route that is not open. */
export const callerOf = ({ caller }: Call): Caller => {
  if (!caller) throw new Error('an open route has no caller')
  return caller
}

/** Under whose name, when and why a merchant's request changes something. */
export const contextOf = (call: Call): Context => {
  const { merchant, actor } = callerOf(call)
  const { at, requestId: correlationId } = call
  return { at, merchant, actor, correlationId }
}

/** Who did it, when and why, for what a payer does. */
export const contextOfPayer = (
  { at, requestId: correlationId }: Call,
  payer: string,
  merchant: string | null = null,
): Context => ({ at, merchant, actor: `payer:${payer}`, correlationId })
