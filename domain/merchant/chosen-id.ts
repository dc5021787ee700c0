import type { z } from 'zod'

/** An id that a merchant chooses. A URL whose last segment is `.` or `..` leads elsewhere. */
export const chosenId = (schema: z.ZodString) =>
  schema.max(100).refine((id) => id !== '.' && id !== '..', 'Must not be . or ..')
