import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { payments, requestsOf, type Shop } from './client.ts'
import { authorizeOne, shareOut } from './load.ts'
import { startPostgres } from './postgres.ts'
import { expected, memoryOfAll, processorTime, untilIdle, type Load } from './processes.ts'
import { buildApp, cache } from './requests.ts'
import type { Case, Figure, Scenario, Scope } from './scope.ts'

/*
 * Whole lifecycles of the service beside what else one would build them with, each durable and in
 * the defaults of its documentation. One runs at a time, in turns.
 */

/** With PostgreSQL's client, versions that run on every line of Node that the service does. */
const packages = [
  'pg@8.23.1',
  '@event-driven-io/emmett@0.42.0',
  '@event-driven-io/emmett-postgresql@0.42.0',
  '@event-driven-io/pongo@0.16.11',
]

/** Into a folder of the bench, so that the project has no more to install. */
const install = (): void => {
  const folder = fileURLToPath(new URL(cache, import.meta.url))
  mkdirSync(folder, { recursive: true })
  const words = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
  execFileSync('npm', [...words, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] })
}

type Running = {
  readonly shop: Shop
  /** The app, and the server of its database. */
  readonly pids: readonly [number, ...number[]]
  readonly stop: () => Promise<void>
  readonly kill: () => Promise<void>
}

/** Starts on what is in a folder. */
type Start = (scope: Scope, folder: string) => Promise<Running>

type Peers = Readonly<Record<string, Start>>

/** Shops of lifecycles sign nothing. */
const { privateKey } = generateKeyPairSync('ed25519')
const adminKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

type Server = Awaited<ReturnType<Scope['server']>>

const alone = ({ address, pid, stop }: Server): Running => {
  const kill = async (): Promise<void> => {
    process.kill(pid, 'SIGKILL')
    await stop()
  }
  return { shop: { address, adminKey }, pids: [pid], stop, kill }
}

const onPostgres =
  (script: string, kind: 'postgresql' | 'emmett'): Start =>
  async (scope, folder) => {
    const database = await startPostgres(folder)
    scope.later(database.stop)
    const app = alone(await scope.server(script, [kind, database.url], {}))
    const stop = async (): Promise<void> => {
      await app.stop()
      await database.stop()
    }
    const kill = async (): Promise<void> => void (await Promise.all([app.kill(), database.kill()]))
    return { ...app, pids: [...app.pids, database.pid], stop, kill }
  }

const ours = 'daybook'

const preparePeers = async (): Promise<Peers> => {
  install()
  const plain = await buildApp('reference-apps')
  const script = await buildApp('peer-apps')
  return {
    [ours]: async (scope, DATA_DIR) => alone(await scope.service({ settings: { DATA_DIR } })),
    'better-sqlite3': async (scope, folder) =>
      alone(await scope.server(plain, ['plain', join(folder, 'plain.sqlite')], {})),
    'PostgreSQL with an outbox': onPostgres(script, 'postgresql'),
    'Emmett on PostgreSQL': onPostgres(script, 'emmett'),
  }
}

/** Write-ahead logs are used again: what stands in them does not grow. */
const isWriteAhead = (path: string): boolean => /-wal$|-shm$|\/pg_wal\//.test(path)

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .reduce((sum, path) => sum + (isWriteAhead(path) ? 0 : statSync(path).size), 0)

const sumOf = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((sum, pid) => sum + of(pid), 0)

const inFlight = [1, 8, 64] as const

/** Values by what they are, with the unit. */
type Values = Map<string, readonly [value: number, unit: string]>

const settleMs = 300

const measure = async (scope: Scope, load: Load, start: Start): Promise<Values> => {
  const [folder, { seconds }] = [scope.folder(), scope]
  const { shop, pids, stop } = await start(scope, folder)
  const empty = bytesIn(folder)
  const values: Values = new Map()
  let lifecycles = 0
  const work = async (connections: number) => {
    const before = sumOf(pids, processorTime)
    const groups = [{ work: { kind: 'lifecycle', label: scope.label() }, connections } as const]
    const loaded = await load.load({ shop, warmUp: seconds / 2, seconds, groups })
    const measured = expected(loaded.groups[0])
    await untilIdle(pids[0], settleMs)
    lifecycles += measured.turns
    return { ...measured, used: (sumOf(pids, processorTime) - before) / measured.turns }
  }
  // Until its code is compiled.
  await work(64)
  for (const connections of inFlight) {
    const { perSecond, p99, used } = await work(connections)
    values.set(`${connections} in flight`, [perSecond / 4, 'lifecycles/s'])
    values.set(`${connections} in flight, p99 of a request`, [p99, 'ms'])
    values.set(`${connections} in flight, processor`, [used, 'ms/lifecycle'])
  }
  values.set('memory', [sumOf(pids, memoryOfAll), 'MB'])
  await stop()
  values.set('disk', [(bytesIn(folder) - empty) / lifecycles, 'bytes/lifecycle'])
  return values
}

/** Of the service, beside the best peer. */
const targets: Readonly<Record<string, NonNullable<Figure['target']>>> = {
  '64 in flight': ['ratio', '≥', 4],
  '64 in flight, processor': ['ratio', '≤', 0.5],
}

/** The limit of the service is the best peer; that of a peer is the service. */
const figuresOf = (all: ReadonlyMap<string, Values>): Figure[] => {
  const ownOnes = all.get(ours) ?? new Map<string, never>()
  return [...ownOnes].flatMap(([of, [own, unit]]) => {
    const valueOf = (name: string): number => all.get(name)?.get(of)?.[0] ?? NaN
    const others = [...all.keys()].filter((name) => name !== ours)
    const best = unit === 'lifecycles/s' ? Math.max : Math.min
    const target = targets[of]
    const first = { what: `${of}: ${ours}`, value: own, unit, limit: best(...others.map(valueOf)) }
    const rest = others.map((name) => {
      return { what: `${of}: ${name}`, value: valueOf(name), unit, limit: own }
    })
    return [target ? { ...first, target } : first, ...rest]
  })
}

const lifecycles: Case = {
  about:
    'Whole lifecycles with 1, 8 and 64 in flight, the service beside the best of its peers, and ' +
    'each peer beside the service; processor and memory with the server of the database',
  usual: { rounds: 5, seconds: 4, size: 0 },
  quick: { rounds: 1, seconds: 1, size: 0 },
  open: async () => {
    const peers = Object.entries(await preparePeers())
    let round = 0
    return async (scope) => {
      const load = scope.load()
      const first = round++ % peers.length
      const all = new Map<string, Values>(peers.map(([name]) => [name, new Map()]))
      for (const [name, start] of [...peers.slice(first), ...peers.slice(0, first)]) {
        scope.say(name)
        all.set(name, await measure(scope, load, start))
      }
      return figuresOf(all)
    }
  },
}

type Acknowledged = { readonly tid: string; readonly captureId: string }

/** Kills everything amid lifecycles. */
const killAmidLoad = async (scope: Scope, { shop, kill }: Running): Promise<Acknowledged[]> => {
  const acknowledged: Acknowledged[] = []
  const requests = requestsOf(shop)
  const label = scope.label()
  let isKilled = false
  const working = shareOut(shop, Infinity, async (ask, count) => {
    const captureId = `${label}-${count}`
    const tid = await authorizeOne(requests, ask, captureId)
    await ask(requests.secret(...payments.capture(tid, captureId)), 204)
    acknowledged.push({ tid, captureId })
  }).catch((error: unknown) => {
    if (!isKilled) throw error
  })
  const killing = async (): Promise<void> => {
    await pause(scope.seconds * 1_000)
    isKilled = true
    await kill()
  }
  await Promise.all([working, killing()])
  if (acknowledged.length === 0) throw new Error('nothing was acknowledged')
  return acknowledged
}

const countLost = async (shop: Shop, all: readonly Acknowledged[]): Promise<number> => {
  const requests = requestsOf(shop)
  let lost = 0
  await shareOut(shop, all.length, async (ask, at) => {
    const { tid = '', captureId = '' } = all[at] ?? {}
    const { body } = await ask(requests.secret(...payments.outcome(tid)), 200)
    const { captures } = JSON.parse(body) as { captures: readonly { id: string }[] }
    if (!captures.some(({ id }) => id === captureId)) lost += 1
  })
  return lost
}

const kills: Case = {
  about:
    'Acknowledged captures that are missing after `kill -9` of app and database, with 64 in ' +
    'flight. Size: kills',
  usual: { rounds: 1, seconds: 3, size: 3 },
  quick: { rounds: 1, seconds: 1, size: 1 },
  open: async () => {
    const peers = Object.entries(await preparePeers())
    return async (scope) => {
      const figures: Figure[] = []
      for (const [name, start] of peers) {
        let [all, value] = [0, 0]
        for (let kill = 0; kill < scope.size; kill++) {
          const folder = scope.folder()
          const acknowledged = await killAmidLoad(scope, await start(scope, folder))
          const { shop, stop } = await start(scope, folder)
          value += await countLost(shop, acknowledged)
          all += acknowledged.length
          await stop()
        }
        const more = `of ${all}`
        figures.push({ what: name, value, unit: 'lost', target: ['value', '≤', 0], more })
      }
      return figures
    }
  },
}

export const cases: Scenario = { lifecycles, kills }
