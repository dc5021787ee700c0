import { failureOf } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'
import type { Log } from '../../infrastructure/logs/log.ts'

/**
 * Logs what no callback has contained, and goes on: a connection's fault must not end the others.
 * An append is acknowledged after its commit alone, and a transaction that was left open is rolled
 * back by the next one, so an error in between costs nothing that is durable. Returns a function
 * that ends this.
 */
export const logEscapedErrors = (log: Pick<Log, 'fatal'>): (() => void) => {
  const onError = (error: unknown): void =>
    log.fatal({ error }, 'an error that nothing has handled: the service goes on')
  process.on('uncaughtException', onError).on('unhandledRejection', onError)
  return () => void process.off('uncaughtException', onError).off('unhandledRejection', onError)
}

/** Ends the process when its output is no longer read, as with `head`. */
export const endWithReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    process.stderr.write(`what is printed cannot be written: ${reasonOf(error) ?? error.message}\n`)
    process.exit(1)
  })
}

/** Exits with one line for the operator; a bug is thrown with its stack. */
export const failWith = (error: unknown, settings?: Settings): never => {
  const failure = failureOf(error, settings)
  if (failure === undefined) throw error
  process.stderr.write(`${failure.text}\n`)
  // Background work on the log would keep the process running.
  process.exit(failure.code)
}
