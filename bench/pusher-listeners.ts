import { WebSocket } from 'ws'

/** A message as received by a subscriber. */
export type Heard = {
  readonly listener: number
  readonly tid: string
  readonly seqno: number
  /** By `performance.now`. */
  readonly at: number
}

/** A different network address for each subscriber. */
const addressOf = (number: number): string =>
  `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`

/** Subscribes to a channel; resolves once subscribed, with a function that unsubscribes. */
export const openListener = (
  url: string,
  listener: number,
  channel: string,
  heard: Heard[],
): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-For': addressOf(listener) }
    const socket = new WebSocket(url, { headers, perMessageDeflate: false })
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)))
    socket.on('message', (text) => {
      const at = performance.now()
      const { event, data } = JSON.parse(String(text)) as { event: string; data: string }
      switch (event) {
        case 'pusher:connection_established':
          return socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel } }))
        case 'pusher_internal:subscription_succeeded':
          return resolve(() => socket.terminate())
        case 'pusher:ping':
          return socket.send('{"event":"pusher:pong","data":{}}')
        case 'payment_captured': {
          const { meta } = JSON.parse(data) as { meta: { uri: string; seqno: number } }
          const tid = meta.uri.split('/').at(-3) ?? ''
          heard.push({ listener, tid, seqno: meta.seqno, at })
        }
      }
    })
  })
