// Three nodes on the protocol server under mixed load, killed, frozen and stopped one at a time,
// with connections cut; then checks all requests, responses, callbacks and events.
//   npm run nodes -- [runs] [seed] [seconds]   50 runs from seed 1, 60 seconds each
//   npm run nodes -- <runs> <seed> <seconds> <fault>   of a program with a planted fault
//   VAULT=streams npm run nodes   with the vault in streams of the store instead of a file
//   EVENTSTOREDB_URL='esdb://127.0.0.1:2113?tls=false' npm run nodes -- 1   on that empty node
import { setTimeout as pause } from 'node:timers/promises'
import { parseEvent } from '../../domain/events.ts'
import { leaseStream } from '../../application/lease-stream.ts'
import { start } from '../../application/event-store.ts'
import { openStoreToRead } from '../../infrastructure/stores.ts'
import { openInProcess } from '../../harness/in-process.ts'
import { problemsIn } from './check.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { makeTrouble } from './faults.ts'
import type { Leases, Logged } from './history.ts'
import { makeLoad } from './load.ts'
import { plant, plantNames, removePlant, type Plant } from './plants.ts'
import { randomFrom } from './random.ts'
import { startReceiver } from './receiver.ts'
import { openShops } from './shops.ts'

const [runs = 50, firstSeed = 1, seconds = 60] = process.argv.slice(2, 5).map(Number)
const fault = process.argv[5] as Plant | undefined
const secret = 'a secret of nodes'
const merchants = Array.from({ length: 8 }, (_, number) => `shop-${number}`)
const workers = 8
/** Seven seconds, and three renewals of a slow node. */
const takeOverMs = 20_000
const quietMs = 120_000

const furnish = async ({ url, places }: Cluster): Promise<void> => {
  const environment = { EVENT_STORE: url, PUBLIC_URL: 'http://nodes.test', ...places }
  const { core, stop } = await openInProcess(environment)
  await openShops(core, merchants, secret)
  await stop()
}

const readLog = async (url: string, shared: string) => {
  const store = await openStoreToRead({ EVENT_STORE: url, DATA_DIR: shared })
  const log: Logged[] = []
  for await (const batch of store.readAll(start))
    for (const event of batch) {
      const { position, recordedAt: at = 0 } = event
      const { id, stream, revision, type, data, metadata } = parseEvent(event)
      const { correlationId, merchant, lease } = metadata
      const about = { correlationId, merchant, position, at, lease }
      log.push({ id, stream, revision, type, data, ...about })
    }
  const ofLeases = (await store.streams?.readStream(leaseStream)) ?? []
  await store.close()
  const leases = ofLeases.map(({ position, recordedAt: at = 0, data }) => {
    return { position, at, ...(data as Omit<Leases, 'position' | 'at'>) }
  })
  return { log, leases }
}

/** Waits until no message has arrived for longer than a take-over may last. */
const untilQuiet = async (arrived: readonly unknown[]): Promise<void> => {
  const end = Date.now() + quietMs
  for (let before = -1; before !== arrived.length && Date.now() < end;) {
    before = arrived.length
    await pause(takeOverMs)
  }
}

const runOnce = async (seed: number) => {
  const random = randomFrom(seed)
  const cluster = await startCluster()
  const receiver = await startReceiver(random)
  try {
    await furnish(cluster)
    let isOver = false
    const load = makeLoad({
      ...{ nodes: cluster.nodes, merchants, secret, random },
      callbackUri: receiver.url,
      isOver: () => isOver,
    })
    const working = Promise.all(Array.from({ length: workers }, load.work))
    const trouble = makeTrouble(cluster.nodes, random)
    await pause(seconds * 1_000)
    const faults = await trouble.end()
    isOver = true
    await working
    await untilQuiet(receiver.arrived)
    const told = await readLog(cluster.url, cluster.shared)
    const { log } = told
    const history = { asked: load.asked, arrived: receiver.arrived, ...told }
    const problems = problemsIn(history)
    return {
      seed,
      requests: load.asked.length,
      unanswered: load.asked.filter(({ status }) => status === null || status >= 500).length,
      events: log.length,
      messages: new Set(receiver.arrived.map(({ id }) => id)).size,
      again: receiver.arrived.length - new Set(receiver.arrived.map(({ id }) => id)).size,
      faults: faults.map(({ kind }) => kind),
      problems,
    }
  } finally {
    receiver.close()
    await cluster.remove()
  }
}

const run = async (): Promise<void> => {
  if (fault !== undefined && !plantNames.includes(fault))
    throw new Error(`a fault is one of ${plantNames.join(', ')}`)
  if (fault) process.env['DAYBOOK_BUILT'] = plant(fault)
  let found = 0
  try {
    for (let n = 0; n < runs; n++) {
      const result = await runOnce(firstSeed + n)
      found += result.problems.length
      process.stdout.write(
        `${JSON.stringify({ ...result, problems: result.problems.slice(0, 20) })}\n`,
      )
    }
  } finally {
    if (fault) removePlant(fault)
  }
  process.stdout.write(`${JSON.stringify({ runs, fault: fault ?? null, problems: found })}\n`)
  process.exitCode = found > 0 === (fault !== undefined) ? 0 : 1
}

await run()
