import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Arrived } from './history.ts'
import type { Random } from './random.ts'

type Body = { readonly meta: { readonly id: string; readonly uri: string | null; seqno: number } }

/** Accepts all messages, and responds with a delay, so that some are in flight at any time. */
export const startReceiver = async ({ between }: Random) => {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      // Its sender was killed.
      return
    }
    const { id, uri, seqno } = (JSON.parse(Buffer.concat(chunks).toString()) as Body).meta
    // Nodes without a PUBLIC_URL use their own address.
    const sender = uri === null ? null : new URL(uri)
    const subject = sender?.pathname ?? `test ${id}`
    arrived.push({ id, subject, seqno, node: sender?.origin ?? null, at: Date.now() })
    await pause(between(0, 60))
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    arrived,
    /** One host per merchant, so that there are many lanes. */
    url: (merchant: string): string => `http://127.0.0.1:${port}/${merchant}`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
