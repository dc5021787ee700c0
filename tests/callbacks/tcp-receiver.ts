// A receiver of callbacks without an HTTP server: it records the received bytes, and sends the
// given ones.
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type RawRequest = {
  readonly head: string
  readonly body: string
  /** Counted per connection from 1. */
  readonly number: number
  /** Counted from 1. */
  readonly connection: number
}

type Behaviour = {
  /** Called with each complete request. */
  readonly answer?: (socket: Socket, request: RawRequest) => void
  /** Called before anything is received. */
  readonly greet?: (socket: Socket, connection: number) => void
}

/** The length of the first request in the bytes; undefined if it is incomplete. */
const lengthOf = (bytes: Buffer): { head: number; whole: number } | undefined => {
  const head = bytes.indexOf('\r\n\r\n') + 4
  if (head < 4) return undefined
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, head)) ?? []
  const whole = head + Number(length)
  return bytes.length < whole ? undefined : { head, whole }
}

/** Listens on the loopback address until the test ends. */
export const startTcpReceiver = async ({ answer, greet }: Behaviour) => {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    const connection = sockets.size
    let bytes = Buffer.alloc(0)
    let number = 0
    socket.on('error', () => {})
    greet?.(socket, connection)
    if (!answer) return
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let length = lengthOf(bytes); length; length = lengthOf(bytes)) {
        const head = bytes.toString('latin1', 0, length.head)
        const body = bytes.toString('utf8', length.head, length.whole)
        bytes = bytes.subarray(length.whole)
        number += 1
        const request = { head, body, number, connection }
        requests.push(request)
        answer(socket, request)
      }
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/till?shop=1`, port, requests }
}
