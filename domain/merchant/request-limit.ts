import { z } from 'zod'
import { register } from '../register.ts'

/** The most requests a second, and at once after a pause. */
export const mostRequests = 1_000_000

/** How much a merchant, or one of its callers, may ask; set by the operator. */
export const requestLimit = register(
  'RequestLimit',
  z.object({
    merchant: z.string(),
    /** As in event metadata, such as `user:pos1`; null for all of the merchant together. */
    caller: z.string().nullable(),
    perSecond: z.int().positive().max(mostRequests),
    burst: z.int().positive().max(mostRequests),
  }),
)
