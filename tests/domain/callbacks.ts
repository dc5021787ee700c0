import type { Attempt, CallbackEvent } from '../../domain/callback.ts'
import { morning } from './payments.ts'

export const message = { subject: 'payment-t', revision: 1, event: 'payment_authorized', seqno: 1 }

export const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  ...message,
  uri: 'https://shop.example/callback',
  attemptedAt: morning,
  result: 'failed',
  httpStatus: 503,
  problem: null,
  ...changes,
})

export const record = (changes: Partial<Attempt> = {}, after = 0, jitter = 0) =>
  ({ type: 'RecordAttempt', attempt: attempt(changes), after, jitter }) as const

export const attempted = (
  nextAttemptAt: number | null,
  changes: Partial<Attempt> = {},
): CallbackEvent => ({
  type: 'CallbackAttempted',
  data: { ...attempt(changes), nextAttemptAt },
})

export const delivered = attempted(null, { result: 'delivered', httpStatus: 204 })

export const gone = attempted(null, { result: 'gone', httpStatus: 410 })
