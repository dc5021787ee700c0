import { pino } from 'pino'

/** Structured logs on standard error, so that standard output is left to what was asked for. */
export const makeLog = (level: string) =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, errorKey: 'error' },
    pino.destination({ dest: 2, sync: false }),
  )

/** For whoever runs a command: what goes wrong meanwhile, in a line of words. */
export const makePlainLog = (): Log =>
  pino(
    {
      level: 'warn',
      base: null,
      errorKey: 'error',
      serializers: { error: ({ message }: Error) => ({ message }) },
    },
    {
      write: (line: string) => {
        const { msg, error } = JSON.parse(line) as { msg: string; error?: { message: string } }
        process.stderr.write(`${msg}${error ? `: ${error.message}` : ''}\n`)
      },
    },
  )

export type Log = ReturnType<typeof makeLog>
