import { z } from 'zod'
import { register } from '../register.ts'
import { location } from './location.ts'

export const posTypes = ['store', 'webshop', 'mobile', 'vending', 'poster'] as const

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
