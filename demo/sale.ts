import type { Client, PaymentRequestInput, PaymentUpdate } from '../client/index.ts'
import type { Receiver, Arrival } from './receiver.ts'
import { connectPusher, eventOf } from '../harness/pusher-client.ts'

export const name = 'private-m-sandbox-kiosk'

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

type Kiosk = Awaited<ReturnType<typeof openKiosk>>

/** What the till asks of a payment that was accepted. */
export const part = (id: string, amount: string, more: PaymentUpdate = {}): PaymentUpdate => ({
  action: 'capture',
  capture_id: id,
  amount,
  currency: 'NOK',
  ...more,
})

export const refund = (
  id: string,
  amount: string,
  text: string,
  more: PaymentUpdate = {},
): PaymentUpdate => ({
  action: 'refund',
  refund_id: id,
  amount,
  currency: 'NOK',
  text,
  ...more,
})

export const capture = { action: 'capture' } as const

export const release = { action: 'release' } as const

export type Shop = {
  /** The till, with its secret. */
  readonly till: Client
  /** The owner, who signs with an RSA key. */
  readonly owner: Client
  /** Reads with an access token that a payer has granted. */
  readonly readWith: (accessToken: string, path: string) => Promise<unknown>
  readonly receiver: Receiver
  readonly callbackUri: string
  readonly kiosk: Kiosk
}

/** What the till knows of one of its payments when the day is over. */
export type Sale = {
  readonly number: number
  readonly title: string
  readonly tid: string
}

/** What a till asks for; much of it has a default in the demo. */
export type Input = Pick<PaymentRequestInput, 'amount'> &
  Omit<Partial<PaymentRequestInput>, 'customer' | 'additional_amount'> & {
    readonly customer?: string
    readonly additional_amount?: string
  }

export const alice = '+4799999901'

export const bob = '+4799999902'
