import { z } from 'zod'
import { counters, total } from './totals.ts'

/** Named by the hash of its bytes, so it can never change. */
const logFile = z.object({ sha256: z.string(), lines: z.int(), bytes: z.int() })
export type LogFile = z.output<typeof logFile>

/** The sums and log files of a report or settlement. */
export const completion = z.object({
  /** Log file format; absent for the first one. */
  format: z.int().optional(),
  counters,
  totals: z.array(total),
  transactionLogs: z.array(logFile),
  scopeLogs: z.array(logFile),
})
export type Completion = z.output<typeof completion>
