import type { Position } from '../../application/event-store.ts'
import type { Vitals } from '../readiness.ts'
import type { Settings } from '../settings.ts'

export type PagesStart = {
  readonly settings: Settings
  /** Where the service listens. */
  readonly address: string
  /** Of the read models, when the thread is started. */
  readonly position: Position
}

/** A request without a body. */
export type PageRequest = {
  readonly url: string
  readonly method: string
  /** The target as it was sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of the socket. */
  readonly peer: string | undefined
}

/** Each exchange has a number. A body comes chunk by chunk, each of which is asked for. */
export type ToPages =
  | { readonly ask: number; readonly request: PageRequest }
  | { readonly more: number }
  /** Nobody reads the answer any more. */
  | { readonly leave: number }
  /** The read models have moved. */
  | { readonly moved: Position }
  | { readonly told: number; readonly vitals: Vitals | undefined }
  /** Streams that would not end by themselves are to end. */
  | 'end'
  | 'stop'

/** How long a request of a route took, in milliseconds. */
export type Measured = readonly [method: string, path: string, status: number, took: number]

export type FromPages =
  | 'ready'
  /** A reader waits for the read models. */
  | 'hurry'
  | {
      readonly answer: number
      readonly status: number
      readonly headers: [string, string][]
      readonly hasBody: boolean
    }
  /** Undefined at the end. */
  | { readonly of: number; readonly chunk: Uint8Array | undefined }
  | { readonly failed: number; readonly problem: string }
  | { readonly measured: Measured }
  /** Wants to be told the vitals, by this number. */
  | { readonly wanted: number }
