import { z } from 'zod'
import { register } from '../register.ts'

/** Maximum rate per second, and maximum burst. */
export const mostRequests = 1_000_000

/** Request rate of a merchant or one of its callers; set by the operator. */
export const requestLimit = register(
  'RequestLimit',
  z.object({
    merchant: z.string(),
    /** As in event metadata, such as `user:pos1`; null for the merchant as a whole. */
    caller: z.string().nullable(),
    perSecond: z.int().positive().max(mostRequests),
    burst: z.int().positive().max(mostRequests),
  }),
)
