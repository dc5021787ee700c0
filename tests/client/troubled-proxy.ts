import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request in transit. */
export type Trouble =
  /** The service executes it, but the response is lost. */
  | 'the answer is lost'
  /** No response, and the connection stays open. */
  | 'silence'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

type Passed = { readonly name: string; readonly headers: IncomingMessage['headers'] }

/** A proxy in front of a service that disturbs the next requests. */
export const startTroubledProxy = async () => {
  let target = ''
  const troubles: Trouble[] = []
  const passed: Passed[] = []
  const watchers = new Set<() => void>()

  const forward = async (incoming: IncomingMessage, body: Buffer) =>
    new Promise<{ answer: IncomingMessage; content: Buffer }>((resolve, reject) => {
      const { method, headers, url = '' } = incoming
      const asked = request(new URL(url, target), { method, headers }, async (answer) => {
        resolve({ answer, content: Buffer.concat((await answer.toArray()) as Buffer[]) })
      })
      asked.on('error', reject).end(body)
    })

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await incoming.toArray()) as Buffer[])
    const trouble = troubles.shift()
    passed.push({ name: `${incoming.method} ${incoming.url}`, headers: incoming.headers })
    for (const look of watchers) look()
    if (trouble === 'silence') return
    if (typeof trouble === 'object')
      return void outgoing.writeHead(trouble.status, trouble.headers).end(trouble.body)
    const { answer, content } = await forward(incoming, body)
    if (trouble === 'the answer is lost') return void outgoing.destroy()
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(content)
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    address: `http://127.0.0.1:${port}`,
    forwardTo: (address: string): void => void (target = address),
    /** Disturbs the next requests, one each; returns what passes from now on. */
    trouble: (...next: Trouble[]): readonly Passed[] => {
      troubles.splice(0, Infinity, ...next)
      passed.length = 0
      return passed
    },
    untilPassed: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (passed.length < count) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
