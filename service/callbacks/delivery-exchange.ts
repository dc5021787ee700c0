import type { MessagePort } from 'node:worker_threads'
import type { Position } from '../../application/event-store.ts'
import type { FromReader, ToReader } from '../../infrastructure/read-models/reading-thread.ts'
import type { CountAttempt } from '../metrics/counters.ts'
import type { Settings } from '../../infrastructure/settings.ts'

export type DeliveryStart = {
  readonly settings: Settings
  readonly address: string
  /** Position of the read models when the thread starts. */
  readonly position: Position
  /** Commits for the thread, so that the two do not contend for the file. */
  readonly writer: MessagePort
}

export type ToDelivery =
  | ToReader
  /** Attempt everything due by now; the reply has the same number. */
  | { readonly settle: number }

export type FromDelivery =
  | FromReader
  | { readonly settled: number; readonly problem: string | undefined }
  /** Attempts since the last such message. */
  | { readonly attempts: readonly Parameters<CountAttempt>[] }
