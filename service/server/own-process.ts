import { failureOf } from '../../infrastructure/failures.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { reasonOf } from '../../infrastructure/system-errors.ts'

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
