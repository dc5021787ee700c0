import { z } from 'zod'
import { plainNumber } from '../wire.ts'

/** A location (interface 7.3): degrees, and accuracy as a radius in meters. */
export const locationInput = z
  .object({
    latitude: plainNumber(z.number().min(-90).max(90).nullable().default(null)),
    longitude: plainNumber(z.number().min(-180).max(180).nullable().default(null)),
    accuracy: plainNumber(z.number().min(0).nullable())
      .default(null)
      .meta({ description: 'Meters.' }),
  })
  .meta({ id: 'Location' })

export const locationReply = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  accuracy: z.number().nullable(),
})
