import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy to a server that can break connections while the server keeps running. */
export const breakableWay = async (port: number) => {
  /** Client sockets, each with its own server socket. */
  const open = new Map<Socket, Socket>()
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one
        .on('error', () => {})
        .on('close', () => other.destroy())
        .pipe(other)
    open.set(near, far)
    near.on('close', () => open.delete(near))
  })
  way.listen(0, '127.0.0.1')
  await once(way, 'listening')
  return {
    open,
    url: `esdb://127.0.0.1:${(way.address() as AddressInfo).port}?tls=false`,
    close: (): void => {
      for (const near of open.keys()) near.destroy()
      way.close()
    },
  }
}
