import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { leaseStream } from '../../application/lease-stream.ts'
import type { LeaseEvent } from '../../domain/leases.ts'
import { connectEventStoreDB } from '../../infrastructure/event-store/eventstoredb-event-store.ts'
import { openEventLog } from '../../infrastructure/event-store/sqlite-event-log.ts'
import { serveEventStoreProtocol } from '../event-store/protocol/serve.ts'
import type { RunningService } from '../../harness/in-process.ts'

type Settings = { readonly DATA_DIR: string } & Readonly<Record<string, string>>

/** How often the leases are looked at, in ms. */
const lookEveryMs = 100

/** A node that does not come is not waited for any longer, in ms. */
const longestWaitMs = 20_000

/**
 * Waits until the leases are with the nodes that run, and each knows which are its own. After a
 * kill that takes as long as a node may be silent.
 */
const sharedOut = (url: string) => {
  const { streams } = connectEventStoreDB(url)
  let seen = -1
  /** When each node has last told of itself, and when its leases have changed. */
  const known = new Map<string, { told: number; changed: number; does: string }>()

  const look = async (): Promise<void> => {
    for (const { revision, data } of await streams.readStream(leaseStream, seen + 1)) {
      // Two may look at the same time.
      if (revision <= seen) continue
      seen = revision
      const { by, nodes } = data as unknown as LeaseEvent['data']
      for (const name of known.keys()) if (!(name in nodes)) known.delete(name)
      for (const [name, of] of Object.entries(nodes)) {
        const { told = -1, changed = -1, does: before } = known.get(name) ?? {}
        const does = JSON.stringify(of.does)
        known.set(name, {
          told: name === by ? revision : told,
          changed: does === before ? changed : revision,
          does,
        })
      }
    }
  }

  return async (count: number): Promise<void> => {
    for (const end = Date.now() + longestWaitMs; Date.now() < end;) {
      await look()
      const all = [...known.values()]
      if (all.length === count && all.every(({ told, changed }) => told >= changed)) return
      await pause(lookEveryMs)
    }
  }
}

type Store = { readonly url: string; readonly untilShared: () => Promise<void>; running: number }

/** By the folder whose log is served. */
const stores = new Map<string, Promise<Store>>()

const serveLogIn = async (folder: string): Promise<Store> => {
  const { port } = await serveEventStoreProtocol(openEventLog(join(folder, 'events.sqlite')))
  const url = `esdb://127.0.0.1:${port}?tls=false`
  const until = sharedOut(url)
  const store: Store = { url, running: 0, untilShared: () => until(store.running) }
  return store
}

const storeIn = (folder: string): Promise<Store> => {
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
  const answerWith = async (back: IncomingMessage): Promise<void> => {
    await before()
    answer.writeHead(back.statusCode ?? 502, back.rawHeaders)
    back.pipe(answer)
  }
  const sent = request(new URL(url, to), { method, headers }, (back) => {
    answerWith(back).catch(() => answer.destroy())
  })
  sent.on('error', () => answer.destroy())
  asked.pipe(sent)
}

const clockPath = '/sandbox/v1/clock/'

/** What a moved clock makes due is done by each node; the answer waits for all of them. */
const settle = async (nodes: readonly string[]): Promise<void> => {
  const body = JSON.stringify({ advance_seconds: 0 })
  const headers = { 'Content-Type': 'application/json' }
  const all = () =>
    Promise.all(nodes.map((node) => fetch(node + clockPath, { method: 'POST', headers, body })))
  // Twice, as what one does may make something due at another.
  await all()
  await all()
}

/** One address for all nodes, which take turns. */
const balance = async (nodes: readonly string[], store: Store) => {
  let turn = 0
  const server = createServer((asked, answer) => {
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) return void answer.writeHead(503).end()
    if (asked.url !== clockPath || asked.method !== 'POST')
      return passOn(asked, answer, node, async () => {})
    // Waited for before the clock is moved: what is due a second later must not come meanwhile.
    store.untilShared().then(
      () => passOn(asked, answer, node, () => settle(nodes)),
      () => answer.destroy(),
    )
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
  const store = await storeIn(DATA_DIR)
  const { server, address } = await balance(addresses, store)
  const second = join(DATA_DIR, 'second-node')
  const shared = {
    ...{ EVENT_STORE: store.url, PUBLIC_URL: address },
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
  store.running += addresses.length
  let isRunning = true
  const stop = async (signal?: Signal) => {
    if (isRunning) store.running -= addresses.length
    isRunning = false
    const [code] = await Promise.all([first.stop(signal), other.stop(signal)])
    server.closeAllConnections()
    server.close()
    return code
  }
  return { ...first, address, stop }
}
