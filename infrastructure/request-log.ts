import type { SecurityLog } from '../application/security-log.ts'
import type { Core } from './core.ts'
import { isFileDamage } from './failures.ts'
import type { Log } from './log.ts'

type Answered = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly milliseconds: number
  readonly refused?:
    | {
        readonly reason: string | undefined
        readonly merchant?: string | undefined
        readonly user?: string | undefined
        readonly integrator?: string | undefined
        readonly address?: string | undefined
      }
    | undefined
}

/** Of a caller that has authenticated, and may not do this. */
const recordRefusal = (
  { record }: SecurityLog,
  { user, integrator, merchant, address, reason }: NonNullable<Answered['refused']>,
): void => {
  const actor = integrator === undefined ? `user:${user}` : `integrator:${integrator}`
  record({ type: 'refused', actor, merchant, address, reason })
}

/** Logs and measures answers, and logs what failed. */
export const requestLog = (
  log: Log,
  measure: (method: string, path: string, status: number, milliseconds: number) => void,
  { noteDamage, securityLog }: Pick<Core, 'noteDamage' | 'securityLog'>,
) => ({
  observe: ({ requestId, method, path, status, milliseconds, refused }: Answered): void => {
    measure(method, path, status, milliseconds)
    const answered = { requestId, method, path, status, milliseconds, ...refused }
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
