import { z } from 'zod'
import { register } from './register.ts'

export const merchant = register(
  'Merchant',
  z.object({
    id: z.string(),
    businessName: z.string(),
    currency: z.string(),
    lookupIds: z.array(z.string()),
    netmask: z.string().nullable(),
  }),
)
