import { z } from 'zod'
import type { ClaimChannel, MayHaveChannel } from '../../application/channels.ts'
import { channelOf, isChannelName, isPrivateChannel } from '../../domain/merchant/channel.ts'
import { merchantPrefix } from '../addresses.ts'
import { callerOf, contextOf, type Call } from '../call.ts'
import { Malformed, RequestError, type Issue } from '../errors.ts'
import { type Route, routesOf } from '../route.ts'

type ChannelNeeds = {
  readonly pusher: {
    /** Whether the operator has set up Pusher. */
    readonly isServed: boolean
    readonly claimChannel: ClaimChannel
    readonly mayHaveChannel: MayHaveChannel
    /** `<key>:<hmac>`, which lets this connection listen. */
    readonly authorize: (socketId: string, channel: string) => string
  }
}

const notServed = 'Pusher channels are not served here: the operator has set no PUSHER_KEY.'

const ofAnother = (merchant: string): string =>
  `This channel is another merchant's. Names that begin with m-${merchant}- are yours alone.`

const addressFields = [
  ['callback_uri', 'callbackUri'],
  ['display_message_uri', 'displayMessageUri'],
] as const

/** The channels in a body, by field; some bodies have been transformed already. */
const channelsIn = (body: unknown): readonly (readonly [field: string, channel: string])[] => {
  if (typeof body !== 'object' || body === null) return []
  const fields = body as Readonly<Record<string, unknown>>
  const found: (readonly [string, string])[] = []
  for (const [field, transformed] of addressFields) {
    const uri = fields[field] ?? fields[transformed]
    const channel = typeof uri === 'string' ? channelOf(uri) : undefined
    if (channel !== undefined) found.push([field, channel])
  }
  return found
}

/** The merchant that names an address: the caller, or the one that the sandbox is to play. */
const merchantOf = ({ caller, body }: Call): string => {
  if (caller) return caller.merchant
  return String((body as { readonly merchant?: unknown }).merchant)
}

/** Checks the channels that a request names as addresses, and makes them the merchant's. */
export const claimingChannels =
  ({ pusher }: ChannelNeeds) =>
  (original: Route): Route => {
    if (!original.body || original.takesForm) return original
    const claim = async (call: Call, found: ReturnType<typeof channelsIn>): Promise<void> => {
      const merchant = merchantOf(call)
      const { at, requestId: correlationId, traceparent, caller } = call
      const ofSandbox = { at, actor: 'sandbox', correlationId, traceparent }
      const context = { ...(caller ? contextOf(call) : ofSandbox), merchant }
      for (const [field, channel] of found) {
        if (!pusher.isServed) throw new Malformed({ [field]: [notServed] })
        if (!(await pusher.claimChannel(channel, context)))
          throw new Malformed({ [field]: [ofAnother(merchant)] })
      }
    }
    const furtherFaults = async (call: Call): Promise<readonly Issue[]> => {
      const faults = [...((await original.furtherFaults?.(call)) ?? [])]
      for (const [field, channel] of channelsIn(call.body)) {
        const merchant = merchantOf(call)
        if (!pusher.isServed) faults.push({ path: [field], message: notServed })
        else if ((await pusher.mayHaveChannel(channel, merchant)) === 'no')
          faults.push({ path: [field], message: ofAnother(merchant) })
      }
      return faults
    }
    const handle = (call: Call): unknown => {
      const found = channelsIn(call.body)
      if (found.length === 0) return original.handle(call)
      return claim(call, found).then(() => original.handle(call))
    }
    return { ...original, handle, furtherFaults }
  }

const authorization = z
  .object({
    socket_id: z.string().regex(/^\d+\.\d+$/, 'Must be the socket_id of a connection.'),
    channel_name: z
      .string()
      .refine(
        (name) => isChannelName(name) && isPrivateChannel(name),
        'Must be the name of a private channel: others need no authorisation.',
      ),
  })
  .meta({ id: 'PusherAuthorization' })

const authReply = z
  .object({ auth: z.string().meta({ description: 'The client library sends it on.' }) })
  .meta({ id: 'PusherAuth' })

const { post } = routesOf({ access: 'SECRET', group: 'Callback' })

/** Lets a client listen to a private channel of the merchant (interface 13.6). */
export const pusherAuthRoute = ({ pusher }: ChannelNeeds): Route =>
  post(`${merchantPrefix}/pusher_auth/`, {
    summary: 'Authorise a Pusher client to listen to a private channel',
    description: 'Takes a form, as Pusher clients send it, or JSON.',
    body: authorization,
    takesForm: 'or JSON',
    errors: { 403: "The channel is another merchant's, or channels are not served." },
    reply: authReply,
    handle: async (call) => {
      const { socket_id: socketId, channel_name: channel } = call.body
      if (!pusher.isServed) throw new RequestError(403, notServed)
      const { merchant } = callerOf(call)
      if (!(await pusher.claimChannel(channel, { ...contextOf(call), merchant })))
        throw new RequestError(403, ofAnother(merchant))
      return { auth: pusher.authorize(socketId, channel) }
    },
  })
