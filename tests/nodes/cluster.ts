import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newFolder } from '../../harness/in-process.ts'
import { startServiceProcess, type ServiceProcess } from '../../harness/service-process.ts'
import { breakableWay } from '../event-store/breakable-way.ts'

const script = fileURLToPath(new URL('../event-store/protocol-server.ts', import.meta.url))

/** A free port, not reserved. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const portIn = (url: string): number => Number(/:(\d+)\?/.exec(url)?.[1])

/** The protocol server in a separate process, or the empty node that `EVENTSTOREDB_URL` names. */
const startStore = async (folder: string) => {
  const given = process.env['EVENTSTOREDB_URL']
  if (given !== undefined) return { url: given, stop: async () => {} }
  const words = ['--import', 'tsx', script, '0', join(folder, 'events.db')]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  // Also on failure.
  process.on('exit', () => child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout! }), 'line')
  const url = String(line)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url, stop }
}

/** How long requests pass without responses before a connection is cut, in ms. */
const muteMs = 80

/** A proxy to the store whose connections can be cut. */
const wayTo = async (port: number) => {
  const { open, url, close } = await breakableWay(port)
  return {
    url,
    /** Recent requests take effect, but their responses are lost. */
    cut: async (): Promise<void> => {
      const cut = [...open]
      for (const [near, far] of cut) far.unpipe(near)
      await pause(muteMs)
      for (const [near] of cut) near.destroy()
    },
    close,
  }
}

/** What nodes share: folders, and no vault file with VAULT=streams. */
const placesIn = (shared: string): Readonly<Record<string, string>> => {
  const blobs = { BLOBS: join(shared, 'blobs') }
  if (process.env['VAULT'] !== 'streams') return { VAULT: join(shared, 'vault.sqlite'), ...blobs }
  const VAULT_KEY_FILE = join(shared, 'vault-key')
  writeFileSync(VAULT_KEY_FILE, randomBytes(32).toString('base64'))
  return { VAULT: 'streams', VAULT_KEY_FILE, ...blobs }
}

type Place = {
  readonly store: string
  readonly places: Readonly<Record<string, string>>
  readonly name: string
}

/** A service node with its own folder, and one port for all its processes. */
const openNode = async ({ store, places, name }: Place) => {
  const way = await wayTo(portIn(store))
  const [DATA_DIR, port] = [newFolder(), await freePort()]
  let running: ServiceProcess | undefined
  const start = async (): Promise<void> => {
    running = await startServiceProcess({
      ...{ DATA_DIR, PORT: String(port), EVENT_STORE: way.url, LOG_LEVEL: 'fatal' },
      ...places,
      AUDIT_EVERY_MINUTES: '0',
    })
  }
  return {
    name,
    address: `http://127.0.0.1:${port}`,
    cut: way.cut,
    start,
    stop: async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> =>
      void (await running?.stop(signal)),
    signal: (signal: 'SIGSTOP' | 'SIGCONT'): void => void running?.child.kill(signal),
    remove: async (): Promise<void> => {
      await running?.stop('SIGKILL')
      way.close()
      rmSync(DATA_DIR, { recursive: true })
    },
  }
}

export type Node = Awaited<ReturnType<typeof openNode>>

/** Three nodes that share a store. */
export const startCluster = async () => {
  const shared = mkdtempSync(join(tmpdir(), 'daybook-nodes-'))
  const store = await startStore(shared)
  const places = placesIn(shared)
  const open = (name: string) => openNode({ store: store.url, places, name })
  const nodes = await Promise.all(['a', 'b', 'c'].map(open))
  // The first one makes the installation.
  for (const { start } of nodes) await start()
  return {
    nodes,
    url: store.url,
    shared,
    places,
    remove: async (): Promise<void> => {
      for (const { remove } of nodes) await remove()
      await store.stop()
      rmSync(shared, { recursive: true })
    },
  }
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>
