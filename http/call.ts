import type { Context } from '../application/handle.ts'
import type { RequestUsage } from '../application/request-limits.ts'
import type { Traceparent } from '../application/tracing.ts'
import type { SignedOrder } from '../domain/cause.ts'
import type { SigningTime } from '../domain/decider.ts'
import type { Instant } from '../domain/time.ts'

/** A request before authentication. */
export type UnauthenticatedRequest = {
  readonly method: string
  /** As the client saw it, with its query. */
  readonly url: () => string
  readonly header: (name: string) => string | undefined
  readonly headers: () => Iterable<readonly [string, string]>
  readonly remoteAddress: string | undefined
  /** Undefined until received; the digest is then not checked. */
  readonly body: Uint8Array | undefined
}

/** A request whose body is complete. */
export type ReceivedRequest = UnauthenticatedRequest & { readonly body: Uint8Array }

/** Who makes a merchant request: a user, or an integrator on behalf of a merchant. */
export type Caller = {
  /** Empty when the request concerns no particular merchant. */
  readonly merchant: string
  /** As in event metadata: `user:pos1`, `integrator:acme`. */
  readonly actor: string
  readonly mayManageUsers: () => Promise<boolean>
  readonly mayRefund: () => Promise<boolean>
  readonly isSigned: boolean
  /** When and with what it was signed; undefined unless it was. */
  readonly asked: SigningTime | undefined
  /** What was signed; undefined unless something was. */
  readonly signed: SignedOrder | undefined
  /** The address of a request that was not signed, sealed. */
  readonly sealedAddress: () => string | undefined
  /** Told with the answer when little is left. */
  readonly usage?: RequestUsage | undefined
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
  /** The trace that the request is part of, if it is traced. */
  readonly traceparent?: Traceparent | undefined
  readonly accept: string | undefined
  /** The request before parsing: headers, cookies, repeated query parameters, raw bytes. */
  readonly request: ReceivedRequest
}

/** Path and query of a full URL. */
export const afterOrigin = (url: string): string => url.replace(/^[^/]*\/\/[^/?]*/, '')

export const targetOf = ({ request }: Call): string => afterOrigin(request.url())

/** A parameter with an empty value is absent; whether a name stands there at all, `has` tells. */
class Search extends URLSearchParams {
  override get(name: string): string | null {
    return super.get(name) || null
  }
}

/** Keeps repeated parameters. */
export const searchOf = (call: Call): URLSearchParams => {
  const [, search = ''] = /\?([^#]*)/.exec(targetOf(call)) ?? []
  return new Search(search)
}

export const callerOf = ({ caller }: Call): Caller => {
  if (!caller) throw new Error('an open route has no caller')
  return caller
}

export const contextOf = (call: Call): Context => {
  const { merchant, actor, asked, signed, sealedAddress } = callerOf(call)
  const { at, requestId: correlationId, traceparent } = call
  const from = sealedAddress()
  return { at, merchant, actor, correlationId, traceparent, asked, signed, from }
}

/** Of an actor that is no user of a merchant. */
export const contextBy = (
  { at, requestId: correlationId, traceparent, request: { remoteAddress: address } }: Call,
  actor: string,
  merchant: string | null = null,
): Context => ({ at, merchant, actor, correlationId, traceparent, address })

export const contextOfPayer = (call: Call, payer: string, merchant?: string | null): Context =>
  contextBy(call, `payer:${payer}`, merchant)
