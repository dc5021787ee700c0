import { createHmac } from 'node:crypto'
import { channelKey, claimChannels, mayHaveChannel } from '../../application/channels.ts'
import { publishToChannels } from '../../application/publish-to-channels.ts'
import { channels } from '../../domain/aggregates.ts'
import { channelOf, isPrivateChannel } from '../../domain/merchant/channel.ts'
import { streamOf } from '../../domain/stream.ts'
import type { makeClientAddress } from '../server/client-address.ts'
import type { Core } from '../core.ts'
import { isSameText } from '../../infrastructure/people/id-tokens.ts'
import type { Settings } from '../../infrastructure/settings.ts'
import { pusherSockets } from '../../infrastructure/pusher/sockets.ts'
import { clearInterval, randomBytes, setInterval, steadyTime } from '../../application/machine.ts'

const sweepEveryMs = 1000

type Publishing = Parameters<typeof publishToChannels>[0]

type Hub = Publishing['hub'] & {
  readonly open: Parameters<typeof pusherSockets>[0]['open']
  readonly sweep: () => void
  readonly end: () => void
  readonly count: () => number
}

type HubNeeds = {
  readonly key: string | null
  readonly now: () => number
  readonly newSocketId: () => string
  readonly isAuthorized: (auth: string, socketId: string, channel: string) => boolean
  readonly ownerOf: (channel: string) => string | undefined
}

/** Two numbers, as client libraries expect; unguessable. */
const newSocketId = (): string => {
  const bytes = randomBytes(8)
  return `${bytes.readUInt32BE(0)}.${bytes.readUInt32BE(4)}`
}

const keyOf = ({ MODE, PUSHER_KEY }: Settings): string | null =>
  PUSHER_KEY ?? (MODE === 'sandbox' ? 'daybook' : null)

/**
 * Whether an object may be sent to a channel. Private channels are as secure as the connection to
 * the service.
 */
export const isSafeChannel =
  ({ MODE, PUBLIC_URL }: Settings) =>
  (uri: string): boolean => {
    const isSafe = MODE === 'sandbox' || PUBLIC_URL?.startsWith('https:') === true
    const channel = channelOf(uri)
    return channel !== undefined && isPrivateChannel(channel) && isSafe
  }

/** Pusher channels: their owners, subscribers and sockets. */
export const makePusher = (
  core: Core,
  makeHub: (needs: HubNeeds) => Hub,
  clientAddress: ReturnType<typeof makeClientAddress>,
) => {
  const { settings, log, handle, find } = core
  const key = keyOf(settings)
  const secret = settings.PUSHER_SECRET ?? core.derive('pusher')
  const authorize = (socketId: string, channel: string): string => {
    const hmac = createHmac('sha256', secret).update(`${socketId}:${channel}`)
    return `${key}:${hmac.digest('hex')}`
  }
  const hub = makeHub({
    key,
    now: steadyTime,
    newSocketId,
    isAuthorized: (auth, socketId, channel) => isSameText(auth, authorize(socketId, channel)),
    ownerOf: (channel) =>
      core.callbacks.channels.find(streamOf(channels, channelKey(channel)))?.data.merchant,
  })
  const sweeping = setInterval(hub.sweep, sweepEveryMs).unref()
  return {
    routes: {
      isServed: key !== null,
      claimChannel: claimChannels({ handle, find }),
      mayHaveChannel: mayHaveChannel({ find }),
      authorize,
    },
    count: hub.count,
    publish: hub.publish,
    upgrades: pusherSockets({
      open: hub.open,
      onFailure: (error) => log.error({ error }, 'a connection has failed and is closed'),
      clientAddress,
    }),
    /** Publishes what this or another process sends from now on. */
    follow: (message: Publishing['message']): void => {
      const onFailure = (error: unknown) =>
        log.error({ error }, 'a message was not published; its subscribers must reconnect')
      core.onEvents(publishToChannels({ message, hub, onFailure }))
    },
    end: (): void => {
      clearInterval(sweeping)
      hub.end()
    },
  }
}

export type Pusher = ReturnType<typeof makePusher>
