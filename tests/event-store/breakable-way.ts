import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server on which connections can be broken off while it goes on. */
export const breakableWay = async (port: number) => {
  /** Those to whoever came, each with its own to the server. */
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
