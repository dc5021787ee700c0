import type { z } from 'zod'
import type { Context } from '../../application/handle.ts'
import { anyForm, type Form } from '../payer/session.ts'
import { route, type Call, type Route } from '../route.ts'
import type { Client, ClientAccess } from './client.ts'
import { oauthAnswer, oauthErrors, oauthJson } from './reply.ts'

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
      // Public clients may be pages (RFC 6749, 2.1).
      fromAnyOrigin: mayBePublic,
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
