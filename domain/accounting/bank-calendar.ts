import { z } from 'zod'
import { register } from '../register.ts'

/** The operator's corrections to the built-in bank holidays of a country. */
export const bankCalendar = register(
  'BankCalendar',
  z.object({
    /** ISO 3166, two letters. */
    country: z.string(),
    /** `YYYY-MM-DD`: additional bank holidays. */
    closed: z.array(z.string()),
    /** Built-in holidays on which banks are open. */
    open: z.array(z.string()),
  }),
)
