import type { z } from 'zod'

/** An id chosen by a merchant. As a last URL segment, `.` and `..` would be resolved away. */
export const chosenId = (schema: z.ZodString) =>
  schema.max(100).refine((id) => id !== '.' && id !== '..', 'Must not be . or ..')
