import { z } from 'zod'
import { register } from '../register.ts'

/**
 * A code that payers scan. Its id is unique across merchants, because the code holds nothing else.
 */
export const shortlink = register(
  'Shortlink',
  z.object({
    merchant: z.string(),
    id: z.string(),
    callbackUri: z.string().nullable(),
    description: z.string().nullable(),
    serialNumber: z.string().nullable(),
  }),
)
