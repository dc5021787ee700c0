import { z } from 'zod'
import { register } from '../register.ts'
import { chosenId } from './chosen-id.ts'
import { location } from './location.ts'

export const posTypes = ['store', 'webshop', 'mobile', 'vending', 'poster'] as const
export type PosType = (typeof posTypes)[number]

export const posId = chosenId(z.string().min(1))
/** Stricter than for existing ones: payments can name no other characters (interface 4.1). */
export const newPosId = chosenId(
  z.string().regex(/^[a-zA-Z0-9_.-]+$/, 'Must be made of letters, digits and _ . -'),
)
export const posName = z.string().min(1).max(100)

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
