import type { SecurityLog } from '../../application/security-log.ts'
import type { Core } from '../core.ts'
import { UnreadableEvent } from '../../domain/events.ts'
import { isFileDamage } from '../../infrastructure/failures.ts'
import type { AnsweredRequest } from '../../infrastructure/logs/refusals.ts'

export const name = 'daybook_http_request_seconds'

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

type Series = {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly counts: number[]
  sum: number
}

const valuesOf = ({ method, path, status, counts, sum }: Series) => {
  const labels = { method, path, status }
  let value = 0
  const buckets = counts.map((count, bucket) => {
    value += count
    const le = bounds[bucket] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value }
  })
  const sums = { metricName: `${name}_sum`, labels, value: sum }
  return [...buckets, sums, { metricName: `${name}_count`, labels, value }]
}

/** A Prometheus histogram of request times. A library's histogram costs as much as routing. */
export const requestTimes = () => {
  const byPath = new Map<string, Series[]>()

  const seriesOf = (method: string, path: string, status: number): Series => {
    const ofPath = byPath.get(path) ?? []
    const known = ofPath.find((one) => one.status === status && one.method === method)
    if (known) return known
    const made = { method, path, status, counts: [...bounds, Infinity].map(() => 0), sum: 0 }
    byPath.set(path, [...ofPath, made])
    return made
  }

  return {
    observe: (method: string, path: string, status: number, milliseconds: number): void => {
      const seconds = milliseconds / 1000
      const one = seriesOf(method, path, status)
      const bucket = bounds.findIndex((bound) => seconds <= bound)
      const at = bucket < 0 ? bounds.length : bucket
      one.counts[at] = (one.counts[at] ?? 0) + 1
      one.sum += seconds
    },
    metric: () => ({
      ...{ name, help: 'Time to answer a request, by route.', type: 'histogram' },
      values: [...byPath.values()].flat().flatMap(valuesOf),
    }),
  }
}

type Refused = NonNullable<AnsweredRequest['refused']> & {
  readonly address?: string | undefined
  readonly client?: string | undefined
}

type Needs = Pick<Core, 'log' | 'noteDamage' | 'securityLog' | 'refusals'>

type Answered = AnsweredRequest & {
  readonly traceId?: string | undefined
  readonly milliseconds: number
  readonly refused?: Refused | undefined
}

/** The caller has authenticated but lacks permission. */
const recordRefusal = (
  { record }: SecurityLog,
  { user, integrator, merchant, address, reason }: Refused,
): void => {
  const actor = integrator === undefined ? `user:${user}` : `integrator:${integrator}`
  record({ type: 'refused', actor, merchant, address, reason })
}

/** Logs and measures responses, and logs failures. */
export const requestLog = (
  { log, noteDamage, securityLog, refusals }: Needs,
  measure: (method: string, path: string, status: number, milliseconds: number) => void,
) => ({
  observe: (request: Answered): void => {
    const { requestId, traceId, method, path, status, milliseconds, refused } = request
    measure(method, path, status, milliseconds)
    refusals.onAnswered(request)
    // The request may contain names, texts and secrets, so it is not logged.
    const { reason, merchant, user, integrator, client, address } = refused ?? {}
    const who = { merchant, user, integrator, client, address }
    const answered = { requestId, traceId, method, path, status, milliseconds, reason, ...who }
    if (status === 403 && refused?.merchant !== undefined) recordRefusal(securityLog, refused)
    if (status >= 400) log.info(answered, 'refused')
    else log.debug(answered, 'answered')
  },
  isOutage: (error: unknown) => isFileDamage(error) || error instanceof UnreadableEvent,
  onBug: (error: unknown, requestId: string): void => {
    noteDamage(error)
    log.error({ error, requestId }, isFileDamage(error) ? 'a file cannot be used' : 'a bug')
  },
})
