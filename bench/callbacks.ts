import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { plotOf, type Window } from './callbacks-plot.ts'
import { watchMemory, type Memory } from './memory-samples.ts'
import { atPace, openTills, quantile, usedBy } from './paced.ts'
import { startServer } from './processes.ts'
import { behaviourOf, startReceivers, type Receipt } from './receivers.ts'
import { requestsOf } from './requests.ts'
import { makeTurnover, messagesOfEach } from './turnover.ts'

/*
 * Paced payments, each requested, accepted and captured four times. Each step sends a callback to
 * one of many destinations, some of which are dead or slow. Measures when the others receive the
 * message, and the service's memory. `npm run bench:callbacks`, ten minutes, or `-- <seconds>`;
 * draws docs/callbacks-load.svg.
 */

const seconds = Number(process.argv[2] ?? 600)
if (!(seconds > 0)) throw new Error('name the number of seconds')
const destinations = 1_000
const perSecond = 500
/** Open payments at any time: each has a step every five seconds. */
const places = 2_500
const windowSeconds = Math.max(1, Math.round(seconds / 120))
const plot = new URL('../docs/callbacks-load.svg', import.meta.url)

type Received = { readonly at: number; readonly latency: number }

type Open = { readonly firstSeqno: number; readonly due: number[]; readonly seen: Set<number> }

/** Collects the latencies of messages to healthy destinations. */
const watch = () => {
  const open = new Map<string, Open>()
  const received: Received[] = []
  let hasStarted = false
  let before = 0
  let expected = 0
  let again = 0
  return {
    received: received as readonly Received[],
    before: () => before,
    expected: () => expected,
    again: () => again,
    start: (): void => void (hasStarted = true),
    /** A payment with a healthy destination. */
    onBegun: (tid: string): void =>
      void open.set(tid, { firstSeqno: hasStarted ? 1 : 2, due: [], seen: new Set() }),
    onDue: (tid: string, at: number): void => {
      const payment = open.get(tid)
      if (!payment) return
      payment.due.push(at)
      expected++
    },
    onReceipt: ({ behaviour, tid, seqno, at }: Receipt): void => {
      const payment = open.get(tid)
      if (behaviour !== 'well' || !payment) return
      const { firstSeqno, due, seen } = payment
      if (seen.has(seqno)) again++
      else if (seqno < firstSeqno) before++
      else received.push({ at, latency: at - (due[seqno - firstSeqno] ?? Number.NaN) })
      seen.add(seqno)
    },
  }
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

/** NaN if empty. */
const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), -Infinity)

const windowsOf = (
  start: number,
  received: readonly Received[],
  samples: readonly Memory[],
): Window[] =>
  Array.from({ length: Math.ceil(seconds / windowSeconds) }, (_, index) => {
    const [from, until] = [index, index + 1].map((end) => end * windowSeconds) as [number, number]
    const isWithin = ({ at }: { readonly at: number }): boolean =>
      at >= start + from * 1000 && at < start + until * 1000
    const latencies = sorted(received.filter(isWithin).map(({ latency }) => latency))
    const within = samples.filter(isWithin)
    return {
      until,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      memory: mostOf(within.map(({ rss }) => rss)),
      // What remains after a garbage collection; in between it grows.
      heaps: Math.min(...within.map(({ heaps }) => heaps)),
    }
  }).filter(({ p50, memory }) => Number.isFinite(p50) && Number.isFinite(memory))

const inMs = (milliseconds: number): string => `${Math.round(milliseconds)} ms`
const inMebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

type Service = Awaited<ReturnType<typeof startServer>>

const measure = async (
  { address, pid }: Service,
  adminKey: string,
  memory: ReturnType<typeof watchMemory>,
) => {
  const watched = watch()
  const receivers = await startReceivers(watched.onReceipt)
  const requests = requestsOf({ address, adminKey })
  const connections = await openTills(address)
  const behaviourAt = (place: number) => behaviourOf(place % destinations)
  const uriOf = (place: number) => receivers.uriOf(place % destinations, behaviourAt(place))
  const onBegun = (tid: string, place: number) => {
    if (behaviourAt(place) === 'well') watched.onBegun(tid)
  }
  const turnover = makeTurnover(requests, uriOf, places, { onBegun, onDue: watched.onDue })
  await turnover.fill(connections)
  const well = Array.from({ length: places }, (_, place) => behaviourAt(place)).filter(
    (behaviour) => behaviour === 'well',
  ).length
  for (let waited = 0; watched.before() < well && waited < 600; waited++) await delay(100)
  const used = [usedBy(pid), usedBy('self')] as const
  watched.start()
  memory.begin(pid)
  const start = performance.now()
  await atPace({ connections, perSecond, seconds, onDue: turnover.turn })
  const isDone = () => watched.received.length >= watched.expected()
  for (let waited = 0; !isDone() && waited < 200; waited++) await delay(100)
  memory.end()
  for (const { close } of connections) close()
  receivers.close()
  return { watched, start, used: [usedBy(pid) - used[0], usedBy('self') - used[1]] as const }
}

type Measured = Awaited<ReturnType<typeof measure>>

/** First, last and maximum value. */
const courseOf = (values: readonly number[]): string => {
  const tenth = Math.max(1, Math.floor(values.length / 10))
  const ends = [values.slice(tenth, 2 * tenth), values.slice(-tenth)].map(mostOf)
  const most = inMebibytes(mostOf(values))
  return `${ends.map(inMebibytes).join(' at first, ')} in the end, most ${most}`
}

const report = ({ watched, start, used }: Measured, samples: readonly Memory[]): string => {
  const latencies = sorted(watched.received.map(({ latency }) => latency))
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => inMs(quantile(latencies, share)))
  const load = `${perSecond} events/s, ${seconds} s`
  const what = `${destinations} destinations, 1 % dead, 1 % after 9 s, ${load}`
  const windows = windowsOf(start, watched.received, samples)
  writeFileSync(plot, plotOf(`${what}: p50 ${p50}, p99 ${p99}`, windows))
  return [
    `${what}; each payment tells ${messagesOfEach} of them`,
    `received ${latencies.length} of ${watched.expected()}, ${watched.again()} of them twice`,
    `from due to received p50 ${p50}, p99 ${p99}, longest ${longest}`,
    `memory ${courseOf(windows.map(({ memory }) => memory))}`,
    `heaps of all threads ${courseOf(windows.map(({ heaps }) => heaps))}`,
    `processor: the service ${used[0].toFixed(1)} s, this process ${used[1].toFixed(1)} s`,
    '',
  ].join('\n')
}

const directory = mkdtempSync(join(tmpdir(), 'daybook-callbacks-'))
const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
const memory = watchMemory()
const service = await startServer(
  '../dist/service/main.js',
  ['serve'],
  { ...environment, LOG_LEVEL: 'error', NODE_OPTIONS: memory.nodeOptions },
  memory.onMessage,
)
try {
  const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
  const measured = await measure(service, adminKey, memory)
  process.stdout.write(report(measured, memory.samples))
} finally {
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}
