import type { z } from 'zod'

/** An id chosen by a merchant. URL resolution would remove `.` and `..` as the last segment. */
export const chosenId = (schema: z.ZodString) =>
  schema.max(100).refine((id) => id !== '.' && id !== '..', 'Must not be . or ..')
