import { pino } from 'pino'

/** Structured logs on standard error, so that standard output is left to what was asked for. */
export const makeLog = (level: string) =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, errorKey: 'error' },
    pino.destination({ dest: 2, sync: false }),
  )

export type Log = ReturnType<typeof makeLog>
