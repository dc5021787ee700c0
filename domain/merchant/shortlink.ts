import { z } from 'zod'
import { register } from '../register.ts'

/** A code that payers scan. Its id is unique among all merchants, because it stands alone in the code. */
export const shortlink = register(
  'Shortlink',
  z.object({
    merchant: z.string(),
    id: z.string(),
    callbackUri: z.string().nullable(),
    description: z.string().nullable(),
    /** The printed sticker that shows it. */
    serialNumber: z.string().nullable(),
  }),
)
