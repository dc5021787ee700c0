import { z } from 'zod'
import { register } from './register.ts'

/** A payer, named in the log by an id without meaning; the phone number is kept only as a keyed digest. */
export const payer = register('Payer', z.object({ id: z.string(), phoneDigest: z.string() }))
