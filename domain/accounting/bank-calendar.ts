import { z } from 'zod'
import { register } from '../register.ts'

/** What the operator says of the bank holidays of a country, beside those that are well known. */
export const bankCalendar = register(
  'BankCalendar',
  z.object({
    /** ISO 3166, two letters. */
    country: z.string(),
    /** `YYYY-MM-DD`: banks rest on these days too. */
    closed: z.array(z.string()),
    /** Banks work on these holidays. */
    open: z.array(z.string()),
  }),
)
