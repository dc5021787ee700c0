import type { Seen } from './seen.ts'

/** How time passes; given in tests. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Ends early, with the reason of the signal, when that is aborted. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** At least 0, less than 1. */
  random(): number
}

export type ClientOptions = {
  /** Where merchants reach the service, such as `https://pay.example`; signed with the request. */
  readonly url: string
  readonly merchant: string
  /** The API user; or `integrator`. */
  readonly user?: string | undefined
  /** Calls for merchants; needs a key. */
  readonly integrator?: string | undefined
  /** Of the user; or `key`. */
  readonly secret?: string | undefined
  /** A private RSA key as PEM, with which each request is signed. */
  readonly key?: string | Uint8Array | undefined
  /** Of the headers, when the service has another brand: `X-Service`. */
  readonly headerPrefix?: string | undefined
  /** How often a call is sent at most: 5. */
  readonly attempts?: number | undefined
  /** Milliseconds that one attempt waits for its answer: 30,000. */
  readonly timeout?: number | undefined
  /** Milliseconds after which a call is not sent again: 120,000. */
  readonly deadline?: number | undefined
  /** `whsec_…`: `verifyCallback` then needs no keys of the service. */
  readonly callbackSecret?: string | readonly string[] | undefined
  /** Where ids of handled callbacks are kept: by default in memory, the last 100,000. */
  readonly seen?: Seen | undefined
  readonly clock?: Clock | undefined
}

export type CallOptions = {
  /** Ends the call; whether the service has done it is then unknown. */
  readonly signal?: AbortSignal | undefined
  readonly attempts?: number | undefined
  readonly timeout?: number | undefined
  readonly deadline?: number | undefined
  /** Reads what was answered then: a time, or a position in the log. */
  readonly asOf?: Date | string | number | undefined
}

/** Entries of a list, newest first; pages are read as they are needed. */
export type List<Item> = AsyncIterable<Item> & {
  /** The paths alone, which costs fewer requests. */
  uris(): AsyncIterable<string>
}

/** Elements of a list; pages are read as they are needed. None is skipped or given twice. */
export type Pages<Item, Page> = AsyncIterable<Item> & {
  /** As the service answers them, until `next` is null. */
  pages(): AsyncIterable<Page>
}
