import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens; returns the address, with the port chosen by the system. */
export const listen = async (server: Server, hostname: string, port: number): Promise<string> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, resolve)
  })
  const at = server.address() as AddressInfo
  return `http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`
}
