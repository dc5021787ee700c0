import { z } from 'zod'
import { contextBy, type Call } from '../call.ts'
import { anyForm, type Fields, type FormOf } from '../forms.ts'
import { route, type Route } from '../route.ts'
import { basicOf, type Client, type ClientAccess } from './client.ts'
import { notKept, oauthAnswer, oauthErrors, oauthJson } from './reply.ts'

export const contextOfClient = (call: Call, { id, merchant }: Pick<Client, 'id' | 'merchant'>) =>
  contextBy(call, `client:${id}`, merchant)

/** Client credentials in the form; headers may carry them instead. */
export const clientParameters = {
  client_id: z
    .string()
    .optional()
    .meta({
      description:
        'RFC 6749, 2.3.1 and 3.2.1: the id of the client. Beside HTTP Basic, or the headers of a ' +
        'merchant, it can be left out, and must be the same.',
    }),
  client_secret: z.string().optional().meta({
    description: 'RFC 6749, 2.3.1: instead of HTTP Basic. A public client has none.',
  }),
}

type Endpoint<Asked extends z.ZodType> = {
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly form: Asked
  readonly reply: z.ZodObject
  /** Error codes of a 400. */
  readonly refusals: readonly string[]
  /** Whether clients without a secret are allowed. */
  readonly mayBePublic: boolean
  readonly isSafe?: boolean
  readonly answer: (client: Client, form: FormOf<Asked>, call: Call) => Promise<object>
}

/** The client that a request names, known or not. */
const namedIn = ({ request, body }: Call<unknown, unknown, Fields<'client_id'>>) => {
  const { client_id: id } = body
  return basicOf(request.header('authorization'))?.id ?? (typeof id === 'string' ? id : undefined)
}

/** A route for OAuth clients: form in, JSON out (RFC 6749, 3.2; 7009; 7662). */
export const clientEndpoint =
  (clientOf: ClientAccess) =>
  <Asked extends z.ZodType>(endpoint: Endpoint<Asked>): Route => {
    const { form, refusals, mayBePublic, answer, ...members } = endpoint
    return route({
      ...members,
      method: 'POST',
      access: 'OPEN',
      guard: 'client',
      group: 'OAuth',
      body: anyForm,
      takesForm: true,
      ownForm: form,
      // Public clients may run in a browser (RFC 6749, 2.1).
      fromAnyOrigin: mayBePublic,
      success: 'raw',
      headers: notKept,
      replyTypes: ['application/json'],
      errors: {
        400: `Refused (RFC 6749, 5.2): ${refusals.map((code) => `\`${code}\``).join(', ')}.`,
        401: '`invalid_client`: nobody is known by these credentials (RFC 6749, 5.2).',
      },
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const client = await clientOf(call, call.body, mayBePublic)
          return oauthJson(await answer(client, call.body as FormOf<Asked>, call))
        }, namedIn(call)),
    })
  }
