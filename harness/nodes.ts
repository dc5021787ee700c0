import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openEventLog } from '../infrastructure/event-store/sqlite-event-log.ts'
import { serveEventStoreProtocol } from '../tests/event-store/protocol/serve.ts'
import type { RunningService } from './running-service.ts'

type Settings = { readonly DATA_DIR: string } & Readonly<Record<string, string>>

/** Connection strings, by the folder whose log is served. */
const stores = new Map<string, Promise<string>>()

const serveLogIn = async (folder: string): Promise<string> => {
  const { port } = await serveEventStoreProtocol(openEventLog(join(folder, 'events.sqlite')))
  return `esdb://127.0.0.1:${port}?tls=false`
}

const storeIn = (folder: string): Promise<string> => {
  const store = stores.get(folder) ?? serveLogIn(folder)
  stores.set(folder, store)
  return store
}

/** Passes a request on; answers with what comes back, after what is to be done before. */
const passOn = (
  asked: IncomingMessage,
  answer: ServerResponse,
  to: string,
  before: () => Promise<void>,
): void => {
  const { method = 'GET', headers, url = '/' } = asked
  const sent = request(new URL(url, to), { method, headers }, async (back) => {
    await before()
    answer.writeHead(back.statusCode ?? 502, back.rawHeaders)
    back.pipe(answer)
  })
  sent.on('error', () => answer.destroy())
  asked.pipe(sent)
}

const clockPath = '/sandbox/v1/clock/'

/** What a moved clock makes due is done by each node; the answer waits for all of them. */
const settle = async (nodes: readonly string[]): Promise<void> => {
  const body = JSON.stringify({ advance_seconds: 0 })
  const headers = { 'Content-Type': 'application/json' }
  // Twice, as what one does may make something due at another.
  for (const node of [...nodes, ...nodes])
    await fetch(node + clockPath, { method: 'POST', headers, body })
}

/** One address for all nodes, which take turns. */
const balance = async (nodes: readonly string[]) => {
  let turn = 0
  const server = createServer((asked, answer) => {
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) return void answer.writeHead(503).end()
    const isClock = asked.url === clockPath && asked.method === 'POST'
    passOn(asked, answer, node, isClock ? () => settle(nodes) : async () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, address: `http://127.0.0.1:${port}` }
}

type Signal = 'SIGTERM' | 'SIGKILL'
type Node = Pick<RunningService, 'address'> & {
  readonly stop: (signal?: Signal) => Promise<number | null>
}

/** What commands beside the nodes of a folder need. */
export const settingsBeside = new Map<string, Readonly<Record<string, string>>>()

/** Starts two nodes with folders of their own on one store, and answers as if they were one. */
export const startNodes = async <Started extends Node>(
  settings: Settings,
  start: (settings: Settings) => Promise<Started>,
): Promise<Started> => {
  const { DATA_DIR } = settings
  const addresses: string[] = []
  const { server, address } = await balance(addresses)
  const second = join(DATA_DIR, 'second-node')
  const shared = {
    ...{ EVENT_STORE: await storeIn(DATA_DIR), PUBLIC_URL: address },
    ...{ VAULT: join(DATA_DIR, 'vault.sqlite'), BLOBS: join(DATA_DIR, 'blobs') },
    ...settings,
  }
  settingsBeside.set(DATA_DIR, shared)
  const first = await start(shared)
  mkdirSync(second, { recursive: true })
  for (const name of readdirSync(DATA_DIR).filter((name) => name.endsWith('.pem')))
    copyFileSync(join(DATA_DIR, name), join(second, name))
  const other = await start({ ...shared, DATA_DIR: second })
  addresses.push(first.address, other.address)
  const stop = async (signal?: Signal) => {
    const [code] = await Promise.all([first.stop(signal), other.stop(signal)])
    server.closeAllConnections()
    server.close()
    return code
  }
  return { ...first, address, stop }
}
