import { z } from 'zod'
import { parseScope, scopes } from '../../domain/people/scope.ts'
import { callbackUriText } from '../callback-uri.ts'
import { orEmpty } from '../nothing.ts'
import { identifier, orElse, plainNumber } from '../wire.ts'

export const scopeText = z
  .string()
  .max(1000)
  .transform(parseScope)
  .meta({ description: `Space-delimited, out of ${scopes.join(' ')}; others are ignored.` })

/** The part of the request that is granted. */
export const grantedText = orEmpty(
  scopeText,
  'Absent or null grants all that was asked for, an empty text none of it.',
).transform((scope) => (scope === undefined ? null : (scope ?? [])))

/** Six hours by default, at most thirty days (interface 4 and 11). */
export const expiresInput = plainNumber(orElse(z.int().min(0).max(2_592_000), 21_600)).meta({
  description: 'Seconds that the payer has to answer.',
})

export const permissionInput = z
  .object({
    pos_id: identifier,
    pos_tid: identifier,
    customer: z.string().min(1).max(100).meta({
      description:
        'As the customer of a payment request: an access token, a phone number or a code.',
    }),
    scope: scopeText,
    text: z.string().max(1000).nullable().default(null),
    callback_uri: callbackUriText.nullable().default(null),
    expires_in: expiresInput,
  })
  .meta({ id: 'PermissionRequestInput' })
