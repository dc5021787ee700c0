import type { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import { anyForm, type Form } from '../payer/session.ts'
import { route, type Call, type Route } from '../route.ts'
import type { Client, ClientAccess } from './client.ts'
import { oauthAnswer, OAuthError, oauthErrors, oauthJson } from './reply.ts'

/** A parameter, if it is there (RFC 6749, 3.2): none comes more than once, and one without a value is as good as none. */
export const parameter = (form: Form, name: string): string | undefined => {
  const value = form[name]
  if (Array.isArray(value)) throw new OAuthError('invalid_request', `${name} is repeated.`)
  return value === '' ? undefined : value
}

/** @throws OAuthError when it is not there */
export const requiredParameter = (form: Form, name: string): string => {
  const value = parameter(form, name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** Under whose name, when and why a client's request changes something. */
export const contextOfClient = (
  { at, requestId: correlationId }: Call,
  { id, merchant }: Client,
): Context => ({ at, merchant, actor: `client:${id}`, correlationId })

type Endpoint = {
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly reply: z.ZodObject
  /** Whether a client may have no secret. */
  readonly mayBePublic: boolean
  readonly answer: (client: Client, form: Form, call: Call) => Promise<object>
}

/** A route that a client asks with a form and in its own name, and that answers in JSON (RFC 6749, 3.2; 7009; 7662). */
export const clientEndpoint =
  (clientOf: ClientAccess) =>
  ({ path, summary, description, reply, mayBePublic, answer }: Endpoint): Route =>
    route({
      method: 'POST',
      path,
      access: 'OPEN',
      guard: 'client',
      group: 'OAuth',
      summary,
      ...(description !== undefined && { description }),
      body: anyForm,
      takesForm: true,
      success: 'raw',
      reply,
      replyTypes: ['application/json'],
      errors: { 400: 'Refused, in the words of RFC 6749, 5.2.' },
      ownErrors: oauthErrors,
      handle: (call) =>
        oauthAnswer(async () => {
          const client = await clientOf(call, call.body, mayBePublic)
          return oauthJson(await answer(client, call.body, call))
        }),
    })
