import { z } from 'zod'
import { counters, total } from './totals.ts'

/** Named by the hash of its bytes, so it can never change. */
const logFile = z.object({ sha256: z.string(), lines: z.int(), bytes: z.int() })
export type LogFile = z.output<typeof logFile>

const logRange = z.object({
  /** Index of the first log entry that it covers, from 0. */
  from: z.int(),
  /** Index after the last log entry that it covers. */
  to: z.int(),
  /** Root of the Merkle tree of the entries before `to`, in base64. */
  root: z.string(),
})
export type LogRange = z.output<typeof logRange>

/** The sums and log files of a report or settlement. */
export const completion = z.object({
  /** Log file format; absent for the first one. */
  format: z.int().optional(),
  counters,
  totals: z.array(total),
  transactionLogs: z.array(logFile),
  scopeLogs: z.array(logFile),
  /** Absent in logs that predate the Merkle tree. */
  logRange: logRange.optional(),
})
export type Completion = z.output<typeof completion>
