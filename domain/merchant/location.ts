import { z } from 'zod'

/** A place: degrees north and east, and the radius of their accuracy in meters. */
export const location = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  accuracy: z.number().nullable(),
})
