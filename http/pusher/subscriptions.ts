import { limitedCounts, makeAllowance } from '../../application/concurrency-limit.ts'
import { isChannelName, isPrivateChannel } from '../../domain/merchant/channel.ts'
import {
  codes,
  failure,
  notSubscribed,
  pong,
  readFrame,
  subscribed,
  established,
} from './frames.ts'

/** The socket of a listener. */
export type Line = {
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Ends it without a closing handshake, which a reader that is stuck would not answer. */
  readonly cut: () => void
  /** Bytes that were sent and have not left. */
  readonly unread: () => number
}

/** As many channels at once, as after a reconnection; and a ping now and then. */
export const burstOfFrames = 150

export const framesPerSecond = 20

/** Bytes. */
export const mostUnread = 65_536

export type Connection = {
  readonly line: Line
  readonly socketId: string
  readonly networks: readonly string[]
  /** Each channel, with the quota that it counts against. */
  readonly channels: Map<string, string | undefined>
  readonly mayAsk: () => boolean
  heardAt: number
  isPinged: boolean
}

export const newConnection = (
  line: Line,
  socketId: string,
  networks: readonly string[],
  now: () => number,
): Connection => {
  line.send(established(socketId))
  return {
    line,
    socketId,
    networks,
    channels: new Map(),
    mayAsk: makeAllowance(burstOfFrames, framesPerSecond, now),
    heardAt: now(),
    isPinged: false,
  }
}

export const isSlow = ({ line }: Connection): boolean => line.unread() > mostUnread

const mostChannels = 100

export type SubscriptionNeeds = {
  /** Whether a signature authorises a connection to listen to a private channel. */
  readonly isAuthorized: (auth: string, socketId: string, channel: string) => boolean
  /** Undefined if nobody has used the channel yet. */
  readonly ownerOf: (channel: string) => string | undefined
}

/** Anybody may fill the public one, so private channels have their own. */
const mostOfQuota = 5000

/** The listeners of each channel, limited for each merchant. */
const makeListeners = (ownerOf: (channel: string) => string | undefined) => {
  const listeners = new Map<string, Set<Connection>>()
  const quotas = limitedCounts(mostOfQuota)

  const quotaOf = (channel: string): string | undefined => {
    const owner = ownerOf(channel)
    return owner && `${isPrivateChannel(channel) ? 'private' : 'public'} ${owner}`
  }

  return {
    /** False if the channels of the merchant have too many. */
    add: (connection: Connection, channel: string): boolean => {
      const quota = quotaOf(channel)
      if (quota !== undefined && !quotas.take(quota)) return false
      connection.channels.set(channel, quota)
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(connection))
      return true
    },
    remove: (connection: Connection, channel: string): void => {
      const quota = connection.channels.get(channel)
      if (!connection.channels.delete(channel)) return
      if (quota !== undefined) quotas.leave(quota)
      const others = listeners.get(channel)
      others?.delete(connection)
      if (others?.size === 0) listeners.delete(channel)
    },
    has: (channel: string): boolean => listeners.has(channel),
    /** A copy, as telling them may end a connection. */
    of: (channel: string): readonly Connection[] => [...(listeners.get(channel) ?? [])],
  }
}

type Send = (connection: Connection, text: string) => void

/** Answers what clients send, and knows the listeners of each channel. */
export const makeSubscriptions = ({ isAuthorized, ownerOf }: SubscriptionNeeds, send: Send) => {
  const { add, remove, has, of } = makeListeners(ownerOf)

  const subscribe = (connection: Connection, channel: string, auth: string): void => {
    const refuse = (
      ...why: Parameters<typeof notSubscribed> extends [string, ...infer R] ? R : []
    ) => send(connection, notSubscribed(channel.slice(0, 200), ...why))
    if (!isChannelName(channel))
      return refuse(400, 'InvalidChannel', 'There are no such channels, presence for one.')
    const { channels, socketId } = connection
    if (channels.has(channel)) return send(connection, subscribed(channel))
    if (isPrivateChannel(channel) && !isAuthorized(auth, socketId, channel)) {
      const message = 'The signature does not authorise this connection to listen to the channel.'
      send(connection, failure(codes.unauthorized, message))
      return refuse(401, 'AuthError', message)
    }
    if (channels.size >= mostChannels)
      return refuse(429, 'LimitReached', `A connection has at most ${mostChannels} channels.`)
    if (add(connection, channel)) return send(connection, subscribed(channel))
    const message = 'The channels of this merchant have too many listeners: come back later.'
    send(connection, failure(codes.overCapacity, message))
    return refuse(429, 'LimitReached', message)
  }

  return {
    receive: (connection: Connection, text: string | undefined): void => {
      const received = text === undefined ? undefined : readFrame(text)
      switch (received?.event) {
        case 'pusher:ping':
          return send(connection, pong)
        case 'pusher:pong':
          return undefined
        case 'pusher:subscribe':
          return subscribe(connection, received.channel, received.auth)
        case 'pusher:unsubscribe':
          return remove(connection, received.channel)
        case 'another':
          return send(connection, failure(null, 'Clients subscribe and listen only.'))
        case undefined:
          return send(connection, failure(null, 'A message is a JSON object with event and data.'))
      }
    },
    forget: (connection: Connection): void => {
      for (const channel of [...connection.channels.keys()]) remove(connection, channel)
    },
    has,
    of,
  }
}
