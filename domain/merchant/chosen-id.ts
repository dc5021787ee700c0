import type { z } from 'zod'

/** URL resolution removes `.` and `..` from a path, also where they are encoded. */
export const isDotSegment = (text: string): boolean => text === '.' || text === '..'

/** An id chosen by a merchant, as the last segment of a path. */
export const chosenId = (schema: z.ZodString) =>
  schema.max(100).refine((id) => !isDotSegment(id), 'Must not be . or ..')
