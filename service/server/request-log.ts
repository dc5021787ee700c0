import type { SecurityLog } from '../../application/security-log.ts'
import type { Core } from '../core.ts'
import { isFileDamage } from '../../infrastructure/failures.ts'
import type { AnsweredRequest } from '../../infrastructure/logs/refusals.ts'

type Refused = NonNullable<AnsweredRequest['refused']> & {
  readonly address?: string | undefined
  readonly client?: string | undefined
}

type Needs = Pick<Core, 'log' | 'noteDamage' | 'securityLog' | 'refusals'>

type Answered = AnsweredRequest & {
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
    const { requestId, method, path, status, milliseconds, refused } = request
    measure(method, path, status, milliseconds)
    refusals.onAnswered(request)
    // The request may contain names, texts and secrets, so it is not logged.
    const { reason, merchant, user, integrator, client, address } = refused ?? {}
    const who = { merchant, user, integrator, client, address }
    const answered = { requestId, method, path, status, milliseconds, reason, ...who }
    if (status === 403 && refused?.merchant !== undefined) recordRefusal(securityLog, refused)
    if (status >= 400) log.info(answered, 'refused')
    else log.debug(answered, 'answered')
  },
  isOutage: isFileDamage,
  onBug: (error: unknown, requestId: string): void => {
    noteDamage(error)
    log.error({ error, requestId }, isFileDamage(error) ? 'a file cannot be used' : 'a bug')
  },
})
