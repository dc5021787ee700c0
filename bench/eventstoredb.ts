import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import type { Group, Measured } from './load.ts'
import { startLoad, startServer, type Load } from './processes.ts'
import type { Shop } from './requests.ts'

/*
 * The service over EventStoreDB compared with a bare client, and with concurrent events of another
 * application: `npm run bench:eventstoredb -- <rounds> <seconds> [<connection string>]`. Without a
 * connection string it uses the tests' protocol server, on the same processors. The node of a
 * connection string is an empty one: its log is sealed with the vault that this run makes.
 */

const [rounds = 3, seconds = 4] = process.argv.slice(2, 4).map(Number)
const given = process.argv[4]
const inFlight = 32
const payments = 2_000
const foreignPerSecond = 500
const foreignAtOnce = 25

const startNode = async (folder: string) => {
  if (given !== undefined) return { url: given, stop: async () => {} }
  const script = 'tests/event-store/protocol-server.ts'
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', script, '0', join(folder, 'events.db')],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url, stop }
}

/** Events of 600 bytes per second that the stock client appends, each to its own stream. */
const appendBare = async (client: EventStoreDBClient, round: string): Promise<number> => {
  const text = 'x'.repeat(540)
  let appended = 0
  let [from, until] = [0, Infinity]
  const work = async (worker: number): Promise<void> => {
    for (let n = 0; performance.now() < until; n++) {
      const event = jsonEvent({ type: 'Appended', data: { text }, metadata: { n } })
      await client.appendToStream(`bare-${round}-${worker}-${n}`, event, {
        expectedRevision: NO_STREAM,
      })
      if (performance.now() >= from) appended += 1
    }
  }
  await client.appendToStream(`bare-${round}`, jsonEvent({ type: 'First', data: {} }))
  from = performance.now() + 1_000
  until = from + 1_000 * seconds
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)))
  return appended / seconds
}

/** Another application that appends at a steady pace until stopped. */
const appendForeign = (client: EventStoreDBClient) => {
  let isOver = false
  const work = async (): Promise<void> => {
    let due = performance.now()
    for (let n = 0; !isOver; n++) {
      const events = Array.from({ length: foreignAtOnce }, (_, at) =>
        jsonEvent({ type: 'OrderPlaced', data: { n, at } }),
      )
      await client.appendToStream(`orders-${n % 100}`, events)
      due += (1_000 * foreignAtOnce) / foreignPerSecond
      await pause(Math.max(0, due - performance.now()))
    }
  }
  const working = work()
  return async (): Promise<void> => {
    isOver = true
    await working
  }
}

type Round = {
  readonly bare: number
  readonly captures: Measured
  readonly outcomes: Measured
  readonly beside: Measured
}

const measureService = async (
  load: Load,
  shop: Shop,
  client: EventStoreDBClient,
): Promise<Omit<Round, 'bare'>> => {
  const label = String(Date.now())
  const run = async (work: Group['work']): Promise<Measured> => {
    const groups = [{ work, connections: inFlight }]
    const [measured] = (await load.load({ shop, warmUp: 2, seconds, groups })).groups
    if (!measured || measured.unexpected > 0)
      throw new Error(measured?.firstUnexpected ?? 'nothing was measured')
    return measured
  }
  const tids = await load.authorize(shop, label, payments)
  const level = 'SECRET'
  const captures = await run({ kind: 'capture', level, label, tids })
  const outcomes = await run({ kind: 'outcome', level, tids })
  const stop = appendForeign(client)
  const beside = await run({ kind: 'outcome', level, tids })
  await stop()
  return { captures, outcomes, beside }
}

/** Rounds on one node share its log, and so the folder with its vault. */
const measure = async (load: Load, folder: string): Promise<Round> => {
  const node = await startNode(folder)
  const client = EventStoreDBClient.connectionString(node.url)
  try {
    const bare = await appendBare(client, String(Date.now()))
    const DATA_DIR = join(folder, 'data')
    const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
    const service = await startServer('../dist/service/main.js', ['serve'], {
      ...environment,
      ...{ EVENT_STORE: node.url, LOG_LEVEL: 'error' },
    })
    try {
      const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
      const shop = { address: service.address, adminKey }
      return { bare, ...(await measureService(load, shop, client)) }
    } finally {
      await service.stop()
    }
  } finally {
    await client.dispose()
    await node.stop()
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const whole = (value: number): string => Math.round(value).toLocaleString('en')

const times = ({ p50, p99 }: Measured): string => `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`

const tell = ({ bare, captures, outcomes, beside }: Round): void => {
  const lines = [
    `bare client ${whole(bare)} appends/s`,
    `captures ${whole(captures.perSecond)}/s, ${(captures.perSecond / bare).toFixed(2)} of it, ` +
      times(captures),
    `outcomes ${whole(outcomes.perSecond)}/s, ${times(outcomes)}`,
    `with ${foreignPerSecond} foreign events/s ${whole(beside.perSecond)}/s, ${times(beside)}: ` +
      `${(beside.p50 / outcomes.p50).toFixed(2)} times p50`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

const load = startLoad()
const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  folders.push(folder)
  return folder
}
const all: Round[] = []
try {
  for (let round = 0; round < rounds; round++) {
    const one = await measure(load, (given && folders[0]) ?? newFolder())
    tell(one)
    all.push(one)
  }
} finally {
  await load.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
const ratio = median(all.map(({ bare, captures }) => captures.perSecond / bare))
const slower = median(all.map(({ outcomes, beside }) => beside.p50 / outcomes.p50))
process.stdout.write(
  `medians: captures ${ratio.toFixed(2)} of the bare client (0.7 wanted), ` +
    `outcomes beside foreign events ${slower.toFixed(2)} times as slow (1.3 at most)\n`,
)
