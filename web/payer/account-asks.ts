import { z } from 'zod'
import { foreign, hidden, phone, plainForm, tooMany, typed } from '../ui/form-parts.ts'

export const securityForm = plainForm.extend({
  change: z.enum(['pin', 'authenticator', 'recovery_codes', 'number', 'close', 'everywhere']).meta({
    description: 'Hidden in the form: what is changed.',
  }),
  pin: typed('The PIN, once more.').optional(),
  code: typed('A one-time code or a recovery code.').optional(),
  new_pin: typed('The PIN that the payer wants.').optional(),
  new_code: typed('A one-time code of the new authenticator.').optional(),
  authenticator: hidden('the new authenticator, sealed.').optional(),
  phone: typed('The new phone number.', '+4799999901').optional(),
  proof: hidden('which number has been sent a code.').optional(),
  number_code: typed('The code that was sent to the number.').optional(),
})

const newCredentials = {
  new_pin: typed('The PIN that the payer wants.').optional(),
  new_code: typed('A one-time code of the new authenticator.').optional(),
}

export const recoveryForm = z.union([
  plainForm.extend({ phone }),
  plainForm.extend({
    proof: hidden('which number has been sent a code.'),
    number_code: typed('The code that was sent to the number.').optional(),
    recovery_code: typed('A recovery code.').optional(),
    pin: typed('The PIN.').optional(),
    code: typed('A one-time code.').optional(),
  }),
  plainForm.extend({ recovered: hidden('what is proved, sealed.'), ...newCredentials }),
])

/** Documents the forms and statuses of the pages about accounts. */
export const accountAsks = {
  security: {
    ownForm: securityForm,
    errors: {
      303: 'To the page of security; or to sign in.',
      400: 'A factor or a code is wrong; the page says which.',
      403: foreign,
      429: tooMany,
    },
  },
  recover: {
    ownForm: recoveryForm,
    errors: {
      303: 'To sign in.',
      400: 'A code or a field is wrong.',
      403: foreign,
      409: 'It has been done already.',
      429: tooMany,
    },
  },
}
