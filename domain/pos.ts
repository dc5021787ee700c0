import { z } from 'zod'
import { register } from './register.ts'

export const posTypes = ['store', 'webshop', 'mobile', 'vending', 'poster'] as const

export const location = z.object({
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** Radius in meters. */
  accuracy: z.number().nullable(),
})

/** A point of sale: where a payment request comes from. */
export const pos = register(
  'Pos',
  z.object({
    merchant: z.string(),
    id: z.string(),
    name: z.string(),
    type: z.enum(posTypes),
    location: location.nullable(),
  }),
)
