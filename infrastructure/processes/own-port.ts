import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** The port, or a free one for 0, which all processes then listen on. */
export const chosenPort = async (host: string, port: number): Promise<number> => {
  if (port !== 0) return port
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return chosen
}
