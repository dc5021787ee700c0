import { z } from 'zod'

export const hidden = (description: string) =>
  z.string().meta({ description: `Hidden in the form: ${description}` })

export const typed = (description: string, ...examples: string[]) =>
  z.string().meta({ description, ...(examples.length > 0 && { examples }) })

/** A part of a query that any text may stand in. */
export const asked = (description: string) => z.string().optional().meta({ description })

/** In every form. */
export const plainForm = z.object({ csrf: hidden('no other site can send it.') })

export const phone = typed('The phone number.', '+4799999901')

export const foreign = 'The form is too old, or came from elsewhere.'
export const tooMany = 'Too many failed attempts: Retry-After says for how many seconds.'
