import { z } from 'zod'
import { foreign, hidden, phone, plainForm, tooMany, typed } from '../ui/fields.tsx'
import { pinPattern } from '../../domain/people/payer.ts'
import { profile } from '../../domain/people/profile.ts'
import { scope } from '../../domain/people/scope.ts'
import { profileForm } from './profile-fields.tsx'

export const signInForm = z.union([
  plainForm.extend({ phone, pin: typed('The PIN.') }),
  plainForm.extend({
    challenge: hidden('what the first step has shown.'),
    code: typed('The one-time code.'),
  }),
  plainForm.extend({
    challenge: hidden('what the first step has shown.'),
    recovery_code: typed('A recovery code instead.'),
  }),
])

export const signUpForm = z.union([
  plainForm.extend({
    name: profile.shape.name.meta({ description: 'What the payer is called.' }),
    phone,
    pin: z.string().regex(pinPattern).meta({ description: 'The PIN that the payer wants.' }),
    pin_again: z.string().optional().meta({ description: 'The PIN once more, without a script.' }),
    kept_pin: z.string().optional().meta({
      description: 'Hidden in the form: the PIN, sealed, that came with a mistake elsewhere.',
    }),
  }),
  plainForm.extend({
    registration: hidden('who it is, sealed.'),
    number_code: typed('The code that was sent to the number.'),
    again: z.string().optional().meta({ description: 'The button that sends a new code.' }),
  }),
  plainForm.extend({
    registration: hidden('who it is, sealed.'),
    code: typed('A one-time code of the new authenticator.'),
  }),
])

export const paymentForm = plainForm.extend({
  decision: z.enum(['accept', 'decline']),
  additional_amount: z
    .string()
    .optional()
    .meta({
      description:
        'The additional amount that the payer wants, with a comma or a period; only where the ' +
        'request lets it be changed.',
      examples: ['15.00'],
    }),
  code: typed('A one-time code, for amounts above what the operator has set.').optional(),
  confirmed: z
    .string()
    .optional()
    .meta({
      description:
        'Hidden in the form that comes back for an additional amount above the amount: that ' +
        'additional amount.',
    }),
})

export const permissionForm = plainForm.extend({
  ...profileForm.shape,
  decision: z.enum(['allow', 'deny']),
  scope: z.array(scope).optional().meta({
    description: 'What is allowed, a field for each. What is left out is not granted.',
  }),
})

export const detailsForm = plainForm.extend({
  ...profileForm.shape,
  name: profile.shape.name.meta({ description: 'What the payer is called.' }),
})

export const deviceForm = plainForm.extend({ session: hidden('which device.') })

export const withdrawalForm = plainForm.extend({
  grant: hidden('the application, or the merchant itself, that is to know nothing any more.'),
})

export const scanForm = plainForm.extend({
  text: z.string().max(2048).meta({ description: 'What the code says: a URL of this service.' }),
})

export const toSignIn = 'To sign in, when nobody is.'

/** Of a payment link that many may pay. */
export const linkErrors = {
  409: 'What the link sells is sold out, or the merchant is disabled.',
  410: 'The link has ended.',
}

export const lost = 'Another payer has answered it first.'

export const unknown = 'There is no such request, or it is for another payer.'

/** Documents the queries, forms and further statuses of payers' pages. */
export const pageAsks = {
  showSignIn: { errors: { 303: 'To where a payer wanted to go who is signed in already.' } },
  signIn: {
    ownForm: signInForm,
    errors: { 303: 'To where the payer wanted to go.', 403: foreign, 429: tooMany },
  },
  signOut: { ownForm: plainForm, errors: { 303: 'To sign in.', 403: foreign } },
  signUp: {
    ownForm: signUpForm,
    errors: {
      400: 'A field or the code is wrong, or its time is over; the page says which.',
      403: foreign,
      429: tooMany,
    },
  },
  list: { errors: { 303: toSignIn } },
  showScan: { errors: { 303: toSignIn, ...linkErrors } },
  showPayment: {
    errors: {
      303: `${toSignIn} Once it is over, back to the checkout for who came from there.`,
      404: unknown,
      409: lost,
    },
  },
  answerPayment: {
    ownForm: paymentForm,
    errors: {
      303: 'To what became of it; or to sign in.',
      400:
        'The decision or the amount is wrong, or the amount must be confirmed; the page says ' +
        'which.',
      403: foreign,
      404: unknown,
      409: 'It has been answered, or is over.',
    },
  },
  showAttachment: {
    errors: {
      303: toSignIn,
      404: 'There is no such picture, or it is for another payer.',
      409: lost,
    },
  },
  showPermission: { errors: { 303: toSignIn, 404: unknown } },
  answerPermission: {
    ownForm: permissionForm,
    errors: {
      303: 'To what was granted; or to sign in.',
      400: 'The decision or the scope is wrong.',
      403: foreign,
      404: unknown,
      409: 'It has been answered, or is over.',
    },
  },
  changeDetails: {
    ownForm: detailsForm,
    errors: {
      303: 'To the start page; or to sign in.',
      400: 'A field is wrong; the page says which.',
      403: foreign,
    },
  },
  signOutDevice: {
    ownForm: deviceForm,
    errors: {
      303: 'To the start page; or to sign in.',
      403: foreign,
      404: 'There is no such device.',
    },
  },
  withdraw: {
    ownForm: withdrawalForm,
    errors: {
      303: 'To the permissions that are left; or to sign in.',
      403: foreign,
      404: 'There is no such permission.',
    },
  },
  scan: {
    ownForm: scanForm,
    errors: {
      303: 'To where the code leads; or to sign in.',
      403: foreign,
      404: 'The code leads nowhere.',
      ...linkErrors,
    },
  },
  checkout: {
    errors: { 404: 'There is no such request, or it is for a payer by name.', 409: lost },
  },
  checkoutEvents: { errors: { 404: unknown } },
}

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

export const newCredentials = {
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
