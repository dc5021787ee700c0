import { setTimeout as delay } from 'node:timers/promises'
import {
  NoAnswer,
  ServiceError,
  TooManyRequests,
  Unavailable,
  type DaybookError,
} from './errors.ts'
import type { Clock } from './options.ts'

export const machineClock: Clock = {
  now: Date.now,
  pause: (milliseconds, signal) =>
    delay(milliseconds, undefined, { ...(signal && { signal }) }).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error
    }),
  random: Math.random,
}

/** Nothing was sent. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

const codesOf = (error: unknown): string[] => {
  if (!(error instanceof Error)) return []
  const { code } = error as { code?: unknown }
  const inner = error instanceof AggregateError ? error.errors : []
  return [...(typeof code === 'string' ? [code] : []), ...[error.cause, ...inner].flatMap(codesOf)]
}

/** Whether the service may have done what it was asked for. */
export const mayHaveHappened = (error: DaybookError): boolean =>
  error instanceof NoAnswer
    ? !codesOf(error).some((code) => unreached.has(code))
    : error instanceof Unavailable

/** Whether it may help to ask again. */
export const isPassing = (error: DaybookError): boolean =>
  error instanceof NoAnswer || error instanceof TooManyRequests || error instanceof Unavailable

const firstPause = 250
const longestPause = 20_000

/** Milliseconds before the next attempt: longer each time, and another for each client. */
export const pauseAfter = (attempt: number, error: DaybookError, { random }: Clock): number => {
  const full = Math.min(longestPause, firstPause * 2 ** (attempt - 1))
  const asked = error instanceof ServiceError ? (error.retry_after ?? 0) : 0
  return Math.round(asked + full * (0.5 + random() / 2))
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
export const retryAfter = (text: string | null, now: number): number | null => {
  if (text === null) return null
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
