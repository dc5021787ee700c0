import type { Names } from './brand.ts'
import { callbacks } from './merchant/callback-events.ts'
import { inCapitals } from './openapi-names.ts'
import { contentOf, type Json, type SchemaOf } from './openapi-schemas.ts'
import { signedByService } from './openapi-security.ts'

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Headers of Standard Webhooks. */
const parameters = [
  header('webhook-id', 'The id of the message, as in `meta`.'),
  header('webhook-timestamp', 'Seconds since 1970 at which it was sent.'),
  header(
    'webhook-signature',
    'Of `<id>.<timestamp>.<body>`: `v1,` and an HMAC for each valid secret, `v1a,` and Ed25519.',
  ),
]

const responses = {
  '2XX': { description: 'It has arrived, and is not sent again.' },
  410: { description: 'Nobody wants it: it is not sent again.' },
  default: { description: 'It is sent again for up to 3 days; redirects are not followed.' },
}

/** The callbacks of this service, from the receiver's side (OpenAPI 3.1, webhooks). */
export const webhooksOf = (names: Names, schemaOf: SchemaOf): Json =>
  Object.fromEntries(
    Object.entries(callbacks).map(([event, { summary, message }]) => [
      event,
      {
        post: {
          tags: ['Callback'],
          summary,
          operationId: `receive${inCapitals(event)}`,
          security: signedByService,
          parameters,
          requestBody: { required: true, ...contentOf([names.json], schemaOf(message, 'output')) },
          responses,
        },
      },
    ]),
  )
