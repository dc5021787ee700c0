import { z } from 'zod'

/** The document's Location: degrees, and the radius of the accuracy in meters. */
export const locationInput = z
  .object({
    latitude: z.number().min(-90).max(90).nullable().default(null),
    longitude: z.number().min(-180).max(180).nullable().default(null),
    accuracy: z.number().min(0).nullable().default(null).meta({ description: 'Meters.' }),
  })
  .meta({ id: 'Location' })

export const locationReply = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  accuracy: z.number().nullable(),
})
