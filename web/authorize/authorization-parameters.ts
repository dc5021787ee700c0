import { z } from 'zod'
import { scopes } from '../../domain/people/scope.ts'
import { permissionForm, signInForm } from '../payer/page-documentation.ts'

const longestEchoed = 2048

/** Any text is accepted. */
const text = (description: string, ...examples: string[]) =>
  z
    .string()
    .optional()
    .meta({ description, ...(examples.length > 0 && { examples }) })

/** The query of the authorization endpoint. */
export const authorizationParameters = z.object({
  response_type: z.literal('code').meta({ description: 'RFC 6749, 4.1.1.' }),
  client_id: z.string().meta({ description: 'RFC 6749, 4.1.1: the id of an application.' }),
  redirect_uri: text(
    'RFC 6749, 3.1.2.3: one that the application has registered, character by character. It can ' +
      'be left out when there is one only.',
    'https://shop.example/callback',
  ),
  scope: text(
    `RFC 6749, 3.3: any of ${scopes.map((name) => `\`${name}\``).join(', ')}, ` +
      'with spaces between them. Others, such as `offline_access`, are ignored.',
    'openid profile',
  ),
  state: z.string().max(longestEchoed).optional().meta({
    description:
      'RFC 6749, 4.1.1: comes back with the answer, and with the tokens. Highly recommended.',
  }),
  nonce: z.string().max(longestEchoed).optional().meta({
    description: 'OpenID Connect Core, 3.1.2.1: comes back in the ID token.',
  }),
  code_challenge: z
    .string()
    .regex(/^[\w-]{43}$/)
    .meta({
      description: 'RFC 7636, 4.3: needed, except of an older client with a secret.',
      examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    }),
  code_challenge_method: z.literal('S256').meta({
    description: 'RFC 7636, 4.3: needed with a `code_challenge`.',
  }),
  dpop_jkt: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .meta({
      description:
        'RFC 9449, 10: thumbprint (RFC 7638) of the key to which the tokens are to be bound.',
    }),
  response_mode: z.literal('query').optional().meta({
    description: 'OAuth 2.0 Multiple Response Types, 2.1.',
  }),
  prompt: text(
    'OpenID Connect Core, 3.1.2.1: `none`, alone, shows no page: it ends with a code where the ' +
      'payer is signed in and an earlier consent covers the scope, else with `login_required` or ' +
      '`consent_required`; `login` asks for a new sign-in, `consent` for consent also where an ' +
      'earlier one covers it, `select_account` for the account. Other words mean nothing.',
    'login',
  ),
  login_hint: text(
    'OpenID Connect Core, 3.1.2.1: the phone number that the payer signs in with. Where somebody ' +
      'else is signed in, the payer is asked which account it is.',
    '+4799999901',
  ),
  max_age: z
    .string()
    .regex(/^\d+$/)
    .optional()
    .meta({
      description:
        'OpenID Connect Core, 3.1.2.1: how many seconds ago the payer may have signed in.',
      examples: ['300'],
    }),
  id_token_hint: text(
    'OpenID Connect Core, 3.1.2.1: an ID token of this service, also one that has expired. Only ' +
      'the payer whom it is about can allow the request.',
  ),
  ui_locales: text(
    'OpenID Connect Core, 3.1.2.1: languages of the pages, with spaces between them; before ' +
      'Accept-Language.',
    'nb en',
  ),
  request: text('OpenID Connect Core, 6.1: refused with `request_not_supported`.'),
  request_uri: text('OpenID Connect Core, 6.2: refused with `request_uri_not_supported`.'),
  attempt: text('Tells one pass from another; it is added where there is none.'),
})

export type AuthorizationParameter = keyof typeof authorizationParameters.shape

/** The request as links and forms of later pages carry it. */
const handedOn = authorizationParameters.partial()

export const answerForm = permissionForm.extend({
  decision: permissionForm.shape.decision.optional().meta({
    description:
      'What the payer has decided; without it, the browser goes on when a phone has answered.',
  }),
  compare: z.string().optional().meta({
    description: 'On a phone: the two digits that the screen shows beside the code.',
  }),
  qr: text('Hidden in the form on a phone that has scanned the code.'),
  asked: text('Hidden in the form, unless it has `qr`: the query to come back to.'),
})

const unknownClient =
  'The client or its redirect URI is not known: nothing is redirected (RFC 6749, 4.1.2.1).'

const backWithError =
  'back to the application with `error`, `state` and `iss` (RFC 6749, 4.1.2.1; RFC 9207)'

const tooMany = 'Too many requests have been begun; Retry-After says for how many seconds.'

const toError = {
  303: `A request that is wrong goes ${backWithError}.`,
  400: unknownClient,
  429: tooMany,
}

/** Documents the endpoint's queries, forms and further statuses. */
export const authorizationAsks = {
  request: {
    ownQuery: authorizationParameters,
    errors: {
      303: `To consent, when the payer is signed in; otherwise ${backWithError}.`,
      400: unknownClient,
      429: tooMany,
    },
  },
  signIn: {
    ownQuery: handedOn,
    ownForm: z.union([...signInForm.options, authorizationParameters]),
    errors: {
      303: `To consent; with a request as a form, to the same as a query; ${backWithError}.`,
      400: unknownClient,
      403: 'The form is too old, or came from elsewhere.',
      429: 'Too many failed attempts: Retry-After says for how many seconds.',
    },
  },
  consent: {
    ownQuery: handedOn.extend({
      qr: text('Instead of all others: what the code on a screen says.'),
    }),
    errors: {
      303: `To sign in; ${backWithError}.`,
      400: unknownClient,
      404: 'There is no such code.',
      409: 'It has been answered, or is over.',
      429: tooMany,
    },
  },
  answer: {
    ownForm: answerForm,
    errors: {
      303:
        'Back to the application with `code`, `state` and `iss`, or with `error` `access_denied` ' +
        '(RFC 6749, 4.1.2; RFC 9207); or to sign in.',
      400: 'The decision or the scope is wrong, or the client is no more.',
      403:
        'The form is too old, or came from elsewhere; or the application asks for another ' +
        'payer.',
      404: 'There is no such request.',
      409: 'It has been answered, is over, or waits for an answer; or a new sign-in is needed.',
    },
  },
  otherScreen: { ownQuery: handedOn, errors: toError },
  error: {
    ownQuery: z.object({
      reason: text(
        '`unknown_redirect`; the page tells of a client that is not known for any other.',
        'unknown_redirect',
      ),
      ui_locales: authorizationParameters.shape.ui_locales,
    }),
    errors: { 400: unknownClient },
  },
}
