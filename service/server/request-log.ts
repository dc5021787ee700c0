import {
  counterBy,
  histogram,
  quickSeconds,
  single,
  type Histogram,
  type Sample,
  type Samples,
} from '../../application/measures.ts'
import { textOfRefusal } from '../../http/refusal-answers.ts'
import type { RequestOfMerchant } from '../../application/merchant-request.ts'
import type { SecurityLog } from '../../application/security-log.ts'
import type { Core } from '../core.ts'
import { UnreadableEvent } from '../../domain/events.ts'
import type { Measured } from '../pages/page-exchange.ts'
import { isFileDamage } from '../../infrastructure/failures.ts'
import type { AnsweredRequest } from '../../infrastructure/logs/refusals.ts'

type Series = { readonly labels: Sample['labels']; readonly times: Histogram }

/** Times of requests by route, and how often requests were refused or failed. */
export const requestTimes = () => {
  const byPath = new Map<string, Series[]>()
  const refusals = counterBy('code')
  let failures = 0

  const seriesOf = (method: string, path: string, status: number): Series => {
    const ofPath = byPath.get(path) ?? []
    const isWanted = ({ labels }: Series) =>
      labels['status'] === status && labels['method'] === method
    const known = ofPath.find(isWanted)
    if (known) return known
    const made = { labels: { method, path, status }, times: histogram(quickSeconds) }
    byPath.set(path, [...ofPath, made])
    return made
  }

  return {
    observe: (...[method, path, status, milliseconds, reason, traceId]: Measured): void => {
      seriesOf(method, path, status).times.observe(milliseconds / 1000, traceId)
      if (status >= 500) failures += 1
      if (status >= 400)
        refusals.count([reason && textOfRefusal(reason) ? reason : `status_${status}`])
    },
    samples: (): Samples =>
      [...byPath.values()].flat().flatMap(({ labels, times }) => times.samples(labels)),
    failures: (): Samples => single(failures),
    refusals: refusals.samples,
  }
}

type Refused = NonNullable<AnsweredRequest['refused']> & {
  readonly address?: string | undefined
  readonly client?: string | undefined
}

type Needs = Pick<Core, 'log' | 'noteDamage' | 'securityLog' | 'refusals' | 'merchantRequests'>

type Answered = AnsweredRequest & {
  readonly traceId?: string | undefined
  readonly isRecorded: boolean
  readonly milliseconds: number
  readonly refused?: Refused | undefined
  readonly ofMerchant?: RequestOfMerchant | undefined
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
  { log, noteDamage, securityLog, refusals, merchantRequests }: Needs,
  measure: (...measured: Measured) => void,
) => ({
  observe: (request: Answered): void => {
    const { requestId, traceId, method, path, status, milliseconds, refused } = request
    const recorded = request.isRecorded ? traceId : undefined
    measure(method, path, status, milliseconds, refused?.reason, recorded)
    refusals.onAnswered(request)
    merchantRequests.onAnswered(request)
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
