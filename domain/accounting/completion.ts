import { z } from 'zod'
import { counters, total } from './totals.ts'

/** A log file of a report or settlement: named by the hash of its bytes, so it can never change. */
const logFile = z.object({ sha256: z.string(), lines: z.int(), bytes: z.int() })
export type LogFile = z.output<typeof logFile>

/** What the lines of a report or settlement add up to, and the files that hold them. */
export const completion = z.object({
  /** How its logs are written; absent for the first way, in which those that were made so are made again. */
  format: z.int().optional(),
  counters,
  totals: z.array(total),
  transactionLogs: z.array(logFile),
  scopeLogs: z.array(logFile),
})
export type Completion = z.output<typeof completion>
