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
