import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const headerLength = 12
const typeA = 1

/** The queried name, and the rest of the question with its type. */
const questionIn = (query: Buffer) => {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** A response with one IPv4 address, with none, or NXDOMAIN (RFC 1035, 4). */
const answerTo = (query: Buffer, end: number, address: string | undefined, isKnown: boolean) => {
  const header = Buffer.alloc(headerLength)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(address === undefined ? 0 : 1, 6)
  const parts = [header, query.subarray(headerLength, end)]
  if (address !== undefined)
    parts.push(Buffer.from([0xc0, headerLength, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4]))
  if (address !== undefined) parts.push(Buffer.from(address.split('.').map(Number)))
  return Buffer.concat(parts)
}

/** A name server that knows some names, never answers for one, and records its queries. */
export const startNameServer = async (known: Readonly<Record<string, string>>, silent: string) => {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address: from }) => {
    const { name, type, end } = questionIn(query)
    asked.push(name)
    if (name === silent) return
    const address = type === typeA ? known[name] : undefined
    socket.send(answerTo(query, end, address, name in known), port, from)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const timesAsked = (name: string): number => asked.filter((other) => other === name).length
  return {
    server: `127.0.0.1:${socket.address().port}`,
    timesAsked,
    /** Resolves when a name has been queried this many times. */
    askedFor: async (name: string, times: number): Promise<void> => {
      while (timesAsked(name) < times) await once(socket, 'message')
    },
    close: (): void => void socket.close(),
  }
}
