import type { Position } from '../../application/event-store.ts'
import type { Vitals } from '../metrics/readiness.ts'
import type { FromReader, ToReader } from '../../infrastructure/read-models/reading-thread.ts'
import type { Settings } from '../../infrastructure/settings.ts'

export type PagesStart = {
  readonly settings: Settings
  readonly address: string
  /** Position of the read models when the thread starts. */
  readonly position: Position
}

/** A request without a body. */
export type PageRequest = {
  readonly url: string
  readonly method: string
  /** The request target as received. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly peer: string | undefined
}

/** Each exchange has a number. Each chunk of a body is requested separately. */
export type ToPages =
  | ToReader
  | { readonly ask: number; readonly request: PageRequest }
  | { readonly more: number }
  /** The client has disconnected. */
  | { readonly leave: number }
  | { readonly told: number; readonly vitals: Vitals | undefined }
  | 'end'

/** Duration of a request in milliseconds, by route, and why it was refused. */
export type Measured = readonly [
  method: string,
  path: string,
  status: number,
  took: number,
  reason?: string | undefined,
  /** If it is recorded. */
  traceId?: string | undefined,
]

export type FromPages =
  | FromReader
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
  /** Requests the vitals; the reply has the same number. */
  | { readonly wanted: number }
