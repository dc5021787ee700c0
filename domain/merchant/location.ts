import { z } from 'zod'

/** Degrees north and east, accuracy as a radius in metres. */
export const location = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  accuracy: z.number().nullable(),
})
