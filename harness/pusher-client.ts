// Listeners of Pusher channels with the stock client library.
import pusherJs from 'pusher-js'
import { secretHeaders } from './signing.ts'

/** Its types describe another module format. */
const Pusher = pusherJs as unknown as typeof pusherJs.default

/** The headers of the sandbox's till. */
export const tillHeaders = secretHeaders('sandbox', 'pos1', 'sandbox-secret')

/** Options of the client library, for a user who may listen to private channels. */
export const pusherOptions = (address: string, headers = tillHeaders) => {
  const { hostname, port } = new URL(address)
  return {
    cluster: '',
    wsHost: hostname,
    wsPort: Number(port),
    forceTLS: false,
    enabledTransports: ['ws' as const],
    channelAuthorization: {
      endpoint: `${address}/merchant/v1/pusher_auth/`,
      transport: 'ajax' as const,
      headers,
    },
  }
}

/** The stock client library; it closes with `disconnect`. */
export const connectPusher = (address: string, headers = tillHeaders, key = 'daybook') =>
  new Pusher(key, pusherOptions(address, headers))

/** Resolves with the data of a channel's next event. */
export const eventOf = (
  channel: ReturnType<InstanceType<typeof Pusher>['subscribe']>,
  name: string,
): Promise<any> =>
  new Promise((resolve) => {
    const hear = (data: unknown): void => {
      channel.unbind(name, hear)
      resolve(data)
    }
    channel.bind(name, hear)
  })
