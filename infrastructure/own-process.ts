import { failureOf } from './failures.ts'
import type { Settings } from './settings.ts'
import { reasonOf } from './system-errors.ts'

/** Whoever reads what is printed may stop, as `head` does: then nobody wants the rest. */
export const endWithReader = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    process.stderr.write(`what is printed cannot be written: ${reasonOf(error) ?? error.message}\n`)
    process.exit(1)
  })
}

/** Ends the process with a line for whoever runs it; a bug shows where it is. */
export const failWith = (error: unknown, settings?: Settings): never => {
  const failure = failureOf(error, settings)
  if (failure === undefined) throw error
  process.stderr.write(`${failure.text}\n`)
  // What was begun on the log would go on for ever.
  process.exit(failure.code)
}
