import { connectPusher, eventOf } from '../harness/pusher-client.ts'
import type { Arrival } from './receiver.ts'

const name = 'private-m-sandbox-kiosk'

/**
 * A till behind a router: nobody can call it, so it listens to a channel, with the stock client
 * library of Pusher.
 */
export const openKiosk = async (address: string) => {
  const pusher = connectPusher(address)
  const channel = pusher.subscribe(name)
  await eventOf(channel, 'pusher:subscription_succeeded')
  const arrivals: Arrival[] = []
  const watchers = new Set<() => void>()
  channel.bind_global((event: string, message: Pick<Arrival, 'meta' | 'object'>) => {
    if (event.startsWith('pusher:')) return
    const about = { path: `pusher:${name}`, headers: {}, body: JSON.stringify(message) }
    arrivals.push({ ...about, ...message, problems: [] })
    for (const look of watchers) look()
  })

  return {
    callbackUri: `pusher:${name}`,
    /** What it hears of a payment, by then or later. */
    hear: (tid: string, event: string): Promise<Arrival> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = arrivals.find(
            ({ meta }) => meta.event === event && meta.uri?.includes(`/${tid}/`),
          )
          if (!found) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
      }),
    close: (): void => pusher.disconnect(),
  }
}

export type Kiosk = Awaited<ReturnType<typeof openKiosk>>
