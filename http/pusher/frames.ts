import { z } from 'zod'

/** Codes of errors and of closed connections (Pusher Channels protocol, version 7). */
export const codes = {
  unknownKey: 4001,
  malformedVersion: 4006,
  unsupportedVersion: 4007,
  missingVersion: 4008,
  unauthorized: 4009,
  overCapacity: 4100,
  reconnect: 4200,
  noPong: 4201,
} as const

/** The client pings when it has heard nothing for this long; proxies wait a minute or more. */
export const activityTimeoutSeconds = 30

const frame = (event: string, data: unknown, channel?: string): string =>
  JSON.stringify({ event, ...(channel !== undefined && { channel }), data })

export const established = (socketId: string): string => {
  const data = { socket_id: socketId, activity_timeout: activityTimeoutSeconds }
  // Text within JSON, as the protocol says of what the service sends.
  return frame('pusher:connection_established', JSON.stringify(data))
}

export const ping = frame('pusher:ping', '{}')
export const pong = frame('pusher:pong', '{}')

/** Not text: the protocol makes an exception of errors. */
export const failure = (code: number | null, message: string): string =>
  frame('pusher:error', { code, message })

export const subscribed = (channel: string): string =>
  frame('pusher_internal:subscription_succeeded', '{}', channel)

export const notSubscribed = (
  channel: string,
  status: 400 | 401 | 429,
  type: 'InvalidChannel' | 'AuthError' | 'LimitReached',
  error: string,
): string => frame('pusher:subscription_error', { type, error, status }, channel)

export const eventFrame = (channel: string, event: string, data: string): string =>
  frame(event, data, channel)

const readText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const sent = z.object({ event: z.string().max(200), data: z.unknown() })
const ofChannel = z.object({ channel: z.string(), auth: z.string().nullish() })

type ClientFrame =
  | { readonly event: 'pusher:ping' | 'pusher:pong' | 'another' }
  | {
      readonly event: 'pusher:subscribe' | 'pusher:unsubscribe'
      readonly channel: string
      readonly auth: string
    }

/** What a client asks for; undefined if it is not of the protocol. */
export const readFrame = (text: string): ClientFrame | undefined => {
  const read = sent.safeParse(readText(text))
  if (!read.success) return undefined
  const { event, data } = read.data
  switch (event) {
    case 'pusher:ping':
    case 'pusher:pong':
      return { event }
    case 'pusher:subscribe':
    case 'pusher:unsubscribe': {
      const about = ofChannel.safeParse(readText(data))
      if (!about.success) return undefined
      return { event, channel: about.data.channel, auth: about.data.auth ?? '' }
    }
    default:
      return { event: 'another' }
  }
}
