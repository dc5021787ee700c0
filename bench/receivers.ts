import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Behaviour of a destination; `refusing` does not listen, and `silent` never responds. */
type Behaviour = 'well' | 'slow' | 'refusing' | 'silent'

export type Receipt = {
  readonly behaviour: Behaviour
  readonly tid: string
  readonly seqno: number
  /** By `performance.now`. */
  readonly at: number
}

const slowMs = 9_000

/** Destinations in this process, each at a separate loopback address. */
export const startReceivers = async (onReceipt: (receipt: Receipt) => void) => {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const at = performance.now()
    const behaviour = request.url?.slice(1) as Behaviour
    const { meta } = JSON.parse(Buffer.concat(chunks).toString())
    onReceipt({ behaviour, tid: meta.uri.split('/').at(-3), seqno: meta.seqno, at })
    if (behaviour === 'silent') return
    if (behaviour === 'slow') await delay(slowMs)
    response.writeHead(204).end()
  }
  const server = createServer(
    (request, response) => void receive(request, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', 4_096, resolve))
  const { port } = server.address() as AddressInfo

  return {
    uriOf: (number: number, behaviour: Behaviour): string => {
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
