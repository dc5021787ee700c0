import type { MessagePort } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import type { Settings } from '../settings.ts'

export type DeliveryStart = {
  readonly settings: Settings
  /** Where the service listens. */
  readonly address: string
  /** Of the read models, when the thread is started. */
  readonly position: Position
  /** Commits for the thread, so that two do not wait for each other at the file. */
  readonly writer: MessagePort
}

export type ToDelivery =
  /** The read models have moved. */
  | { readonly moved: Position }
  /** All that is due by now is to be attempted; answered by this number. */
  | { readonly settle: number }
  | 'stop'

export type FromDelivery =
  | 'ready'
  /** A delivery waits for the read models. */
  | 'hurry'
  | { readonly settled: number; readonly problem: string | undefined }
  /** How often an attempt had each result, since the last message of this kind. */
  | { readonly attempts: readonly (readonly [result: string, count: number])[] }
