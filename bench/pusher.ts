import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openConnection, type Connection } from './connection.ts'
import { openListener, type Heard } from './pusher-listeners.ts'
import { startServer } from './processes.ts'
import { payments, requestsOf, type Requests, type Shop } from './requests.ts'

/*
 * Captures at a pace, each told to a Pusher channel: how long until every listener has heard of it.
 * `npm run bench:pusher`, with `-- --quick` a small one.
 */

const isQuick = process.argv.includes('--quick')
const channels = isQuick ? 100 : 1000
const listenersOfEach = 5
const pace = isQuick ? 100 : 500
const seconds = isQuick ? 5 : 30
const tills = 32

const channelOf = (index: number): string => `m-sandbox-bench-${index}`

/** Asks in turns over a few connections. */
const askAll = async <Item>(
  connections: readonly Connection[],
  items: readonly Item[],
  ask: (connection: Connection, item: Item, index: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  await Promise.all(
    connections.map(async (connection) => {
      for (let index = next++; index < items.length; index = next++)
        await ask(connection, items[index] as Item, index)
    }),
  )
}

/** A payment for each channel, accepted. */
const authorize = async (requests: Requests, connections: readonly Connection[]) => {
  const tids: string[] = []
  const indexes = Array.from({ length: channels }, (_, index) => index)
  await askAll(connections, indexes, async (connection, index) => {
    const [method, path, body] = payments.create(`bench-${index}`)
    const address = { callback_uri: `pusher:${channelOf(index)}` }
    const input = JSON.stringify({ ...(JSON.parse(body) as object), ...address })
    const created = await connection.ask(requests.secret(method, path, input))
    if (created.status !== 201) throw new Error(created.body)
    const { id } = JSON.parse(created.body) as { id: string }
    await connection.ask(requests.open(...payments.accept(id)))
    tids[index] = id
  })
  return tids
}

/** Captures at the pace, answered or not; returns when each was due, by payment and in order. */
const capture = async (
  requests: Requests,
  connections: readonly Connection[],
  tids: readonly string[],
) => {
  const asked = new Map<string, number[]>()
  const free = [...connections]
  const waiting: (() => void)[] = []
  const begun: Promise<void>[] = []
  const one = async (tid: string, id: string): Promise<void> => {
    if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    const connection = free.pop() as Connection
    const { status, body } = await connection.ask(requests.secret(...payments.capture(tid, id)))
    free.push(connection)
    waiting.shift()?.()
    if (status !== 204) throw new Error(`${status}: ${body}`)
  }
  const start = performance.now()
  for (let count = 0; count < pace * seconds; count++) {
    const due = start + (count / pace) * 1000
    if (due > performance.now()) await delay(due - performance.now())
    const tid = tids[count % tids.length] as string
    // From when it was due: a service that is late does not make the figures better.
    asked.set(tid, [...(asked.get(tid) ?? []), due])
    begun.push(one(tid, `c-${count}`))
  }
  await Promise.all(begun)
  return asked
}

/** Seconds of a processor that a process has used. */
const usedBy = (pid: number | 'self'): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const quantile = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(0)} ms`

const report = (asked: ReadonlyMap<string, readonly number[]>, heard: readonly Heard[]): string => {
  // The first message of a payment tells of its authorisation.
  const captured = heard.filter(({ seqno }) => seqno > 1)
  const latencies = captured
    .map(({ tid, seqno, at }) => at - (asked.get(tid)?.[seqno - 2] ?? Number.NaN))
    .sort((a, b) => a - b)
  const expected = pace * seconds * listenersOfEach
  const different = new Set(
    captured.map(({ listener, tid, seqno }) => `${listener} ${tid} ${seqno}`),
  )
  const at = (share: number): string => quantile(latencies, share)
  return [
    `${channels * listenersOfEach} listeners on ${channels} channels,`,
    `${pace} captures a second for ${seconds} s:`,
    `heard ${captured.length} of ${expected}, ${captured.length - different.size} of them twice;`,
    `from due to heard p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`,
    '',
  ].join('\n')
}

const measure = async ({ address, adminKey }: Shop, pid: number): Promise<string> => {
  const requests = requestsOf({ address, adminKey })
  const connections = await Promise.all(
    Array.from({ length: tills }, () => openConnection(address)),
  )
  const tids = await authorize(requests, connections)
  const heard: Heard[] = []
  const url = `ws://${address.host}:${address.port}/app/daybook?protocol=7`
  const numbers = Array.from({ length: channels * listenersOfEach }, (_, index) => index)
  const closing: (() => void)[] = []
  for (let from = 0; from < numbers.length; from += 250)
    closing.push(
      ...(await Promise.all(
        numbers
          .slice(from, from + 250)
          .map((number) => openListener(url, number, channelOf(number % channels), heard)),
      )),
    )
  const before = [usedBy(pid), usedBy('self')] as const
  const asked = await capture(requests, connections, tids)
  const expected = pace * seconds * listenersOfEach
  for (let waited = 0; heard.length < expected && waited < 100; waited++) await delay(100)
  const used = [usedBy(pid) - before[0], usedBy('self') - before[1]] as const
  for (const close of [...closing, ...connections.map(({ close }) => close)]) close()
  return (
    report(asked, heard) +
    `processor: the service ${used[0].toFixed(1)} s, this process ${used[1].toFixed(1)} s\n`
  )
}

const directory = mkdtempSync(join(tmpdir(), 'daybook-pusher-'))
const environment = {
  ...{ DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' },
  // Each listener names an address of its own, as they would have.
  TRUSTED_PROXIES: '127.0.0.1',
}
const service = await startServer('../dist/infrastructure/main.js', ['serve'], environment)
try {
  const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
  process.stdout.write(await measure({ address: service.address, adminKey }, service.pid))
} finally {
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}
