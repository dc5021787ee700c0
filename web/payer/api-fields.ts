import { z } from 'zod'
import { phoneDigits } from '../../application/people.ts'
import { isNewPin, pinPattern } from '../../domain/people/payer.ts'
import { asWritten, readable } from '../../http/empty-values.ts'
import { routesOf } from '../../http/route.ts'

export const payerPrefix = '/payer/v1'

const group = 'Payer'

/** What the routes of signed-in payers share. */
export const asksOfPayer = { access: 'OPEN', guard: 'session', group } as const

export const ofPayer = routesOf(asksOfPayer)

/** For whoever has not signed in yet. */
export const ofApps = routesOf({ access: 'OPEN', group })

export const phoneText = z
  .string()
  .max(30)
  .transform((text, context) => {
    const digits = phoneDigits(text)
    if (digits !== undefined) return digits
    context.addIssue('Must be 8 to 15 digits with the country code.')
    return z.NEVER
  })
  .meta({ description: 'Digits with the country code, with or without +.' })

export const fullName = readable(z.string().trim().min(1).max(200))

export const pinText = asWritten(z.string().regex(pinPattern, 'Must be 4 to 12 digits.'))

/** A one-time code, or a recovery code instead. */
export const anyCode = z.string().trim().min(6).max(30).meta({
  description: 'A one-time code, or a recovery code.',
})

/** One that a payer chooses. */
export const newPinText = asWritten(
  z
    .string()
    .regex(pinPattern, 'Must be 4 to 12 digits.')
    .refine(isNewPin, 'Must not be one digit again and again, nor a row such as 1234.'),
)

export const codeText = z.string().regex(/^\d{6}$/, 'Must be six digits.')
