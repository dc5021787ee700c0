import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { makeHttpServer, type Answers } from './http-server.ts'
import type { Log } from '../../infrastructure/logs/log.ts'
import { pause } from '../../application/machine.ts'

/** Listens, on a socket if one is given; returns the address. */
export const listen = async (
  server: Server,
  hostname: string,
  port: number,
  log: Pick<Log, 'error'>,
  socket?: number,
): Promise<string> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (socket === undefined) server.listen(port, hostname, resolve)
    else server.listen({ fd: socket }, resolve)
  })
  // Such as too many open files: the next connection may be accepted.
  server.on('error', (error) => log.error({ error }, 'a connection was not accepted'))
  const at = server.address() as AddressInfo
  return `http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`
}

/** The port, or one that the system chooses for 0. @throws the error of `listen` if it is taken */
export const freePort = async (hostname: string, port: number): Promise<number> => {
  const server = createServer().listen(port, hostname)
  await once(server, 'listening')
  const { port: chosen } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return chosen
}

/** Listens with answers that others replace later, on the same socket. */
export const listenWith = async (
  first: Answers,
  hostname: string,
  port: number,
  log: Pick<Log, 'error'>,
  socket?: number,
) => {
  let answers = first
  const http = makeHttpServer({
    fetch: (...args) => answers.fetch(...args),
    refusal: (...args) => answers.refusal(...args),
    hostname,
    pause,
    onFailure: (error) => log.error({ error }, 'a connection has failed and is closed'),
  })
  const address = await listen(http.server, hostname, port, log, socket)
  return { http, address, replace: (next: Answers): void => void (answers = next) }
}

export type Listening = Awaited<ReturnType<typeof listenWith>>
