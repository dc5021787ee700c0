import { request, type Agent, type IncomingHttpHeaders } from 'node:http'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON; null if it is not JSON. */
  readonly body: any
}

export type Given = {
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

export const textOf = (body: unknown): string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Sends a request through a socket, with its path as given and its body with its length. */
export const send = (
  agent: Agent,
  address: string,
  method: string,
  path: string,
  { headers = {}, body }: Given,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const sent = body === undefined ? undefined : textOf(body)
    const type = { ...(sent !== undefined && { 'Content-Type': 'application/json' }) }
    const isChunked = 'Transfer-Encoding' in headers
    const length = sent !== undefined && !isChunked && { 'Content-Length': Buffer.byteLength(sent) }
    const outgoing = request(
      { agent, hostname, port, method, path, headers: { ...type, ...length, ...headers } },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const { statusCode: status = 0, headers } = incoming
          resolve({ status, headers, text, body: parsed(text) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(sent)
  })
