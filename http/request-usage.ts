import type { RequestUsage } from '../application/request-limits.ts'
import { RequestError } from './errors.ts'

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export const usageHeaders = ({ of, limit, remaining, resetSeconds }: RequestUsage) => {
  const { perSecond, burst } = limit
  const window = Math.max(1, Math.ceil(burst / perSecond))
  return {
    'RateLimit-Policy': `"${of}";q=${burst};w=${window}`,
    RateLimit: `"${of}";r=${remaining};t=${resetSeconds}`,
  }
}

/** @throws RequestError 429 when it is over */
export const checkUsage = (usage: RequestUsage | undefined): RequestUsage | undefined => {
  if (!usage?.isOver) return usage
  const whose = usage.of === 'user' ? 'This user' : 'This merchant'
  const headers = { ...usageHeaders(usage), 'Retry-After': String(usage.resetSeconds) }
  const text = `${whose} asks too much: ${usage.limit.perSecond} requests a second are allowed.`
  throw new RequestError(429, text, null, headers)
}
