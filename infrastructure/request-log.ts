import type { Core } from './core.ts'
import { isFileDamage } from './failures.ts'
import type { Log } from './log.ts'

type Answered = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly milliseconds: number
  readonly refused?: object | undefined
}

/** Logs and measures answers, and logs what failed. */
export const requestLog = (
  log: Log,
  measure: (method: string, path: string, status: number, milliseconds: number) => void,
  { noteDamage }: Pick<Core, 'noteDamage'>,
) => ({
  observe: ({ requestId, method, path, status, milliseconds, refused }: Answered): void => {
    measure(method, path, status, milliseconds)
    const answered = { requestId, method, path, status, milliseconds, ...refused }
    if (status >= 400) log.info(answered, 'refused')
    else log.debug(answered, 'answered')
  },
  isOutage: isFileDamage,
  onBug: (error: unknown, requestId: string): void => {
    noteDamage(error)
    log.error({ error, requestId }, isFileDamage(error) ? 'a file cannot be used' : 'a bug')
  },
})
