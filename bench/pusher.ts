import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { authorizeEach, captureAtPace, openTills, quantile, usedBy } from './paced.ts'
import { openListener, type Heard } from './pusher-listeners.ts'
import { startServer } from './processes.ts'
import { requestsOf, type Shop } from './requests.ts'

/*
 * Paced captures, each published to a Pusher channel: measures when every subscriber has received
 * it. `npm run bench:pusher`; `-- --quick` for a short run.
 */

const isQuick = process.argv.includes('--quick')
const channels = isQuick ? 100 : 1000
const listenersOfEach = 5
const pace = isQuick ? 100 : 500
const seconds = isQuick ? 5 : 30

const channelOf = (index: number): string => `m-sandbox-bench-${index}`

const inMs = (milliseconds: number): string => `${milliseconds.toFixed(0)} ms`

const report = (asked: ReadonlyMap<string, readonly number[]>, heard: readonly Heard[]): string => {
  // The first message of a payment is its authorisation.
  const captured = heard.filter(({ seqno }) => seqno > 1)
  const latencies = captured
    .map(({ tid, seqno, at }) => at - (asked.get(tid)?.[seqno - 2] ?? Number.NaN))
    .sort((a, b) => a - b)
  const expected = pace * seconds * listenersOfEach
  const different = new Set(
    captured.map(({ listener, tid, seqno }) => `${listener} ${tid} ${seqno}`),
  )
  const at = (share: number): string => inMs(quantile(latencies, share))
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
  const connections = await openTills(address)
  const indexes = Array.from({ length: channels }, (_, index) => index)
  const uris = indexes.map((index) => `pusher:${channelOf(index)}`)
  const tids = await authorizeEach(requests, connections, uris)
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
  /** Due times by payment, in order. */
  const asked = new Map<string, number[]>(tids.map((tid) => [tid, []]))
  const onDue = (tid: string, due: number) => asked.get(tid)?.push(due)
  await captureAtPace({ requests, connections, tids, perSecond: pace, seconds, onDue })
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
  // Each subscriber has a different address, as in reality.
  TRUSTED_PROXIES: '127.0.0.1',
}
const service = await startServer('../dist/service/main.js', ['serve'], environment)
try {
  const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
  process.stdout.write(await measure({ address: service.address, adminKey }, service.pid))
} finally {
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}
