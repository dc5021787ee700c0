import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { contain } from '../../application/contain.ts'

const isDropped = (name: string): boolean => /^(upgrade|http2-settings|connection)$/i.test(name)

/** The request head as received, without the headers that request another protocol. */
const headWithoutUpgrade = ({ method, url, httpVersion, rawHeaders, headers }: IncomingMessage) => {
  const kept = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (!isDropped(rawHeaders[index] ?? ''))
      kept.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  const options = (headers.connection ?? '')
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '' && !isDropped(option))
  if (options.length > 0) kept.push(`Connection: ${options.join(', ')}`)
  return Buffer.from(`${kept.join('\r\n')}\r\n\r\n`, 'latin1')
}

type UpgradeTaker = {
  readonly isWanted: (request: IncomingMessage) => boolean
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => unknown
  /** Called with what failed; the connection is closed. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Passes upgrades to `take`. Unsupported ones, such as `h2c`, are handled as ordinary requests (RFC
 * 9110, 7.8). Node 24.9 and later support this; earlier versions leave everything to the listener.
 */
export const handleUpgrades = (
  server: Server,
  { isWanted, take, onFailure }: UpgradeTaker,
): void => {
  Object.assign(server, { shouldUpgradeCallback: isWanted })
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): unknown => {
    const onError = (): void => void socket.destroy()
    socket.on('error', onError)
    // An earlier request on the connection is still in progress.
    if ('_httpMessage' in socket && socket._httpMessage) return socket.destroy()
    if (isWanted(request)) return take(request, socket, head)
    socket.off('error', onError)
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
    return server.emit('connection', socket)
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const failed = (error: unknown): void => {
      onFailure(error)
      socket.destroy()
    }
    contain(upgrade, failed)(request, socket, head)
  })
}
