import { METHODS, ServerResponse, STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { contain } from '../../application/contain.ts'
import { discardRest } from './http-exchanges.ts'

/** Statuses for invalid requests. */
type Wrong = 400 | 405 | 408 | 417 | 431

/** A response made without the app. */
type Refusal = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type MakeRefusal = (status: Wrong, description: string) => Refusal

/** The parser's error and the bytes it last read. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** How many bytes to search for the request line. */
const longestLine = 8_192

/** Answers a request that does not reach the app, and closes its connection. */
export const answerWrong = (outgoing: ServerResponse, { status, headers, body }: Refusal): void => {
  discardRest(outgoing.req, outgoing)
  outgoing.writeHead(status, { ...headers, Connection: 'close' }).end(body)
}

const methods = 'DELETE, GET, HEAD, POST, PUT'

/** The method, if the request is invalid only because its method is unknown. */
const unknownMethodOf = ({ rawPacket }: ClientError): string | undefined => {
  const line = rawPacket?.subarray(0, longestLine).toString('latin1') ?? ''
  const [, method] = /^([!#$%&'*+.^_`|~\w-]+) \S+ HTTP\/1\.[01]\r?\n/.exec(line) ?? []
  return method === undefined || METHODS.includes(method) ? undefined : method
}

/** Headers that must be unique: Node takes the first one, other software perhaps the last. */
const single = new Set(['host', 'authorization', 'content-type'])
const lengthsOfSingle = new Set([...single].map(({ length }) => length))

/** The name of such a header that is repeated (RFC 9110, 5.3; RFC 9112, 3.2). */
export const repeatedIn = ({ rawHeaders }: IncomingMessage): string | undefined => {
  let found = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!lengthsOfSingle.has(name.length)) continue
    const lower = name.toLowerCase()
    if (!single.has(lower)) continue
    if (found.includes(lower)) return name
    found += ` ${lower}`
  }
  return undefined
}

/** Answers on a raw socket and ends it. */
const answerOn = (socket: Duplex, { status, headers, body }: Refusal): void => {
  const length = String(Buffer.byteLength(body))
  const all = { ...headers, 'Content-Length': length, Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
  socket.end(head + body)
}

/** Answers requests that Node's parser does not pass to the app. */
export const answerWrongRequests = (
  server: Server,
  refusal: MakeRefusal,
  failing: (socket: Duplex) => (error: unknown) => void,
): void => {
  const notAllowed = (description: string): Refusal => {
    const { status, headers, body } = refusal(405, description)
    return { status, headers: { ...headers, Allow: methods }, body }
  }
  const answerExpectation = (outgoing: ServerResponse): void =>
    answerWrong(outgoing, refusal(417, 'Only 100-continue can be expected.'))
  const answerConnect = (socket: Duplex): void => {
    // Node leaves this socket to us; an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    if (!socket.writable) return void socket.destroy()
    answerOn(socket, notAllowed('This is not a proxy: CONNECT is not supported.'))
  }
  const answerError = (error: ClientError, socket: Duplex): void => {
    const first = '_httpMessage' in socket ? socket._httpMessage : null
    // Do not mix it with a response in progress, or one that an earlier request waits for.
    const isAnswering = first instanceof ServerResponse && (first.headersSent || first.req.complete)
    if (!socket.writable || isAnswering) return void socket.destroy()
    switch (error.code) {
      case 'HPE_HEADER_OVERFLOW':
        return answerOn(socket, refusal(431, 'The headers are larger than 16 KiB.'))
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return answerOn(socket, refusal(408, 'The request was not complete in time.'))
      default: {
        const method = unknownMethodOf(error)
        return method === undefined
          ? answerOn(socket, refusal(400, 'This is no request of HTTP/1.1.'))
          : answerOn(socket, notAllowed(`The method ${method} is not known.`))
      }
    }
  }
  server.on('checkExpectation', ({ socket }: IncomingMessage, outgoing: ServerResponse) =>
    contain(answerExpectation, failing(socket))(outgoing),
  )
  server.on('connect', (_, socket: Duplex) => contain(answerConnect, failing(socket))(socket))
  server.on('clientError', (error: ClientError, socket: Duplex) =>
    contain(answerError, failing(socket))(error, socket),
  )
}
