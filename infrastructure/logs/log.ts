import { pino } from 'pino'

/** One JSON object a line, as `log-line.ts` describes it. */
export const logOptions = (level: string) => ({
  level,
  base: null,
  errorKey: 'error',
  timestamp: pino.stdTimeFunctions.isoTime,
})

export const makeLog = (level: string) =>
  pino(logOptions(level), pino.destination({ dest: 2, sync: false }))

/** Plain lines, for operators who run a command. */
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

/** Logs that an older log's events now have checksums, without knowing whether they were intact. */
export const logChecksums = (log: Log, events: number): void =>
  log.info({ events }, 'each event of this log was given a checksum of its current content')
