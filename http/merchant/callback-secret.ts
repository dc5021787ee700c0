import { z } from 'zod'
import type { Handle } from '../../application/handle.ts'
import { callbackSecrets } from '../../domain/aggregates.ts'
import type { Instant } from '../../domain/time.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { type Route, routesOf } from '../route.ts'
import { dateTime } from '../wire.ts'

const secretReply = z
  .object({
    secret: z.string().meta({ description: 'Signs each message as `v1` of Standard Webhooks.' }),
    earlier: z
      .array(z.object({ secret: z.string(), valid_until: dateTime }))
      .meta({ description: 'They sign as well until then.' }),
  })
  .meta({ id: 'CallbackSecret' })

type Secret = { readonly secret: string; readonly validUntil: Instant | null }

type CallbackSecretNeeds = {
  readonly handle: Handle
  /** The current one first. */
  readonly findCallbackSecrets: (merchant: string, at: Instant) => Promise<readonly Secret[]>
}

const path = `${merchantPrefix}/callback_secret/`

const { get, post } = routesOf({ access: 'KEY', group: 'Callback' })

/** The secret that signs a merchant's callbacks (interface 13.3). */
export const callbackSecretRoutes = ({
  handle,
  findCallbackSecrets,
}: CallbackSecretNeeds): Route[] => {
  const secretsOf = async (call: Call): Promise<z.input<typeof secretReply>> => {
    const [current, ...earlier] = await findCallbackSecrets(callerOf(call).merchant, call.at)
    if (!current) throw new Error('a merchant always has a secret')
    return {
      secret: current.secret,
      earlier: earlier.map(({ secret, validUntil }) => ({
        secret,
        valid_until: validUntil ?? call.at,
      })),
    }
  }

  return [
    get(path, {
      summary: 'Read the secret that signs your callbacks',
      reply: secretReply,
      handle: secretsOf,
    }),
    post(path, {
      summary: 'Replace the secret that signs your callbacks',
      description: 'For 24 hours each message is signed with the earlier one too.',
      reply: secretReply,
      handle: async (call) => {
        const { merchant } = callerOf(call)
        const command = { type: 'RotateCallbackSecret', at: call.at } as const
        await handle(callbackSecrets, merchant, command, contextOf(call))
        return secretsOf(call)
      },
    }),
  ]
}
