/**
 * Runs work with a signal that aborts after a timeout, or with another signal. The timer keeps the
 * signal alive: `AbortSignal.any` of an `AbortSignal.timeout` may be collected before it fires.
 */
export const withDeadline = async <Result>(
  milliseconds: number,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const either = new AbortController()
  const stop = (): void => either.abort(stopped.reason)
  const late = (): void =>
    either.abort(new Error(`no answer within ${milliseconds / 1000} seconds`))
  const timer = setTimeout(late, milliseconds)
  if (stopped.aborted) stop()
  stopped.addEventListener('abort', stop, { once: true })
  try {
    return await work(either.signal)
  } finally {
    clearTimeout(timer)
    stopped.removeEventListener('abort', stop)
  }
}
