import { createServer, Agent, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'

/** Behaviour of a destination; `refusing` does not listen, and `silent` never responds. */
type Behaviour = 'well' | 'slow' | 'refusing' | 'silent'

export type Receipt = {
  readonly tid: string
  readonly seqno: number
  /** By `performance.now`. */
  readonly at: number
}

type Meta = { readonly uri: string; readonly seqno: number }

const receiptOf = ({ uri, seqno }: Meta, at: number): Receipt => {
  return { tid: uri.split('/').at(-3) ?? '', seqno, at }
}

const slowMs = 9_000

/** Destinations in this process, each at a separate loopback address. */
export const startReceivers = async (
  onReceipt: (receipt: Receipt, behaviour: Behaviour) => void,
) => {
  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const at = performance.now()
    const behaviour = incoming.url?.slice(1) as Behaviour
    const { meta } = JSON.parse(Buffer.concat(chunks).toString()) as { meta: Meta }
    onReceipt(receiptOf(meta, at), behaviour)
    if (behaviour === 'silent') return
    if (behaviour === 'slow') await delay(slowMs)
    response.writeHead(204).end()
  }
  const server = createServer(
    (incoming, response) => void receive(incoming, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', 4_096, resolve))
  const { port } = server.address() as AddressInfo
  return {
    uriOf: (number: number): string => {
      const behaviour = behaviourOf(number)
      const portOf = behaviour === 'refusing' ? 1 : port
      return `http://127.1.${number >> 8}.${number & 255}:${portOf}/${behaviour}`
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** 1 % are dead, in both ways, and 1 % slow. */
export const behaviourOf = (number: number): Behaviour => {
  if (number % 100 === 0) return number % 200 === 0 ? 'refusing' : 'silent'
  return number % 100 === 50 ? 'slow' : 'well'
}

const own = fileURLToPath(import.meta.url)

/** Posts the load of callbacks to receivers, from another process than the service. */
export const startFeeder = (pace: number, uris: readonly string[]) =>
  fork(own, [`${pace}`, ...uris])

const feed = (pace: number, uris: readonly string[]): void => {
  const agent = new Agent({ keepAlive: true })
  // As long as the headers of a callback.
  const headers = { 'Content-Type': 'application/json', signature: 's'.repeat(900) }
  const post = (uri: string, seqno: number): void => {
    const meta = {
      id: '00000000-0000-0000-0000-000000000000',
      event: 'payment_captured',
      seqno,
      timestamp: '2026-01-01 00:00:00',
      merchant_id: 'sandbox',
      uri: 'http://127.0.0.1/merchant/v1/payment_request/0123456789/outcome/',
    }
    const sent = request(uri, { method: 'POST', agent, headers }, (answer) => answer.resume())
    sent.on('error', () => {})
    sent.end(JSON.stringify({ meta }))
  }
  const start = performance.now()
  let count = 0
  const postDue = (): void => {
    for (; start + (count * 1_000) / pace <= performance.now(); count++)
      post(uris[count % uris.length] as string, count)
    setTimeout(postDue, 1)
  }
  postDue()
}

/** Subscribes to a Pusher channel; resolves to a function that closes the connection. */
export const openListener = (
  url: string,
  listener: number,
  channel: string,
  onReceipt: (receipt: Receipt, listener: number) => void,
): Promise<() => void> =>
  new Promise((resolve, reject) => {
    // A different network address for each subscriber.
    const address = `10.${listener >> 16}.${(listener >> 8) & 255}.${listener & 255}`
    const headers = { 'X-Forwarded-For': address }
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
        case 'payment_captured':
          onReceipt(receiptOf((JSON.parse(data) as { meta: Meta }).meta, at), listener)
      }
    })
  })

if (process.argv[1] === own) feed(Number(process.argv[2]), process.argv.slice(3))
