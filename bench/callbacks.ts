import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { plotOf, type Window } from './callbacks-plot.ts'
import { authorizeEach, captureAtPace, openTills, quantile, usedBy } from './paced.ts'
import { startServer } from './processes.ts'
import { mannerOf, startReceivers, type Receipt } from './receivers.ts'
import { requestsOf } from './requests.ts'

/*
 * Captures at a pace, each told to one of many destinations, of which some are dead and some slow:
 * how long until the others have the message, and what memory the service needs.
 * `npm run bench:callbacks`, ten minutes, or `-- <seconds>`; draws docs/callbacks-load.svg.
 */

const seconds = Number(process.argv[2] ?? 600)
if (!(seconds > 0)) throw new Error('name the number of seconds')
const destinations = 1_000
const perSecond = 500
/** So that a destination that is slow is not asked to take more than it can. */
const paymentsOfEach = 10
const windowSeconds = Math.max(1, Math.round(seconds / 120))
const plot = new URL('../docs/callbacks-load.svg', import.meta.url)

type Received = { readonly at: number; readonly latency: number }

/** Receipts of captures by those that answer well, each with the time since it was due. */
const watch = () => {
  const due = new Map<string, number[]>()
  const seen = new Map<string, Set<number>>()
  const received: Received[] = []
  let authorized = 0
  let expected = 0
  let again = 0
  return {
    received: received as readonly Received[],
    authorized: () => authorized,
    expected: () => expected,
    again: () => again,
    /** Every payment, with the manner of its destination. */
    begin: (tid: string): void => void due.set(tid, []),
    onDue: (tid: string, at: number, isToArrive: boolean): void => {
      due.get(tid)?.push(at)
      if (isToArrive) expected++
    },
    onReceipt: ({ manner, tid, seqno, at }: Receipt): void => {
      if (manner !== 'well') return
      const numbers = seen.get(tid) ?? new Set()
      seen.set(tid, numbers.add(seqno))
      // The first message of a payment tells of its authorisation.
      if (seqno === 1) return void authorized++
      const since = due.get(tid)?.[seqno - 2] ?? Number.NaN
      received.push({ at, latency: at - since })
    },
    different: (): number => [...seen.values()].reduce((sum, { size }) => sum + size - 1, 0),
  }
}

const memoryOf = (pid: number): number => {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Reads the memory of the service every second until it is stopped. */
const watchMemory = (pid: number) => {
  const samples: { at: number; memory: number }[] = []
  const look = (): void => void samples.push({ at: performance.now(), memory: memoryOf(pid) })
  look()
  const timer = setInterval(look, 1_000)
  return { samples, stop: () => clearInterval(timer) }
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

const windowsOf = (
  start: number,
  received: readonly Received[],
  samples: readonly { readonly at: number; readonly memory: number }[],
): Window[] =>
  Array.from({ length: Math.ceil(seconds / windowSeconds) }, (_, index) => {
    const [from, until] = [index, index + 1].map((end) => end * windowSeconds) as [number, number]
    const isWithin = ({ at }: { readonly at: number }): boolean =>
      at >= start + from * 1000 && at < start + until * 1000
    const latencies = sorted(received.filter(isWithin).map(({ latency }) => latency))
    const memory = Math.max(...samples.filter(isWithin).map((sample) => sample.memory))
    return { until, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), memory }
  }).filter(({ p50, memory }) => Number.isFinite(p50) && Number.isFinite(memory))

const inMs = (milliseconds: number): string => `${Math.round(milliseconds)} ms`
const inMebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

const measure = async (address: { host: string; port: number }, adminKey: string, pid: number) => {
  const watched = watch()
  const receivers = await startReceivers(watched.onReceipt)
  const requests = requestsOf({ address, adminKey })
  const connections = await openTills(address)
  const numbers = Array.from(
    { length: destinations * paymentsOfEach },
    (_, at) => at % destinations,
  )
  const uris = numbers.map((number) => receivers.uriOf(number, mannerOf(number)))
  const tids = await authorizeEach(requests, connections, uris)
  const isToArrive = new Map(tids.map((tid, at) => [tid, mannerOf(numbers[at]!) === 'well']))
  for (const tid of tids) watched.begin(tid)
  const well = numbers.filter((number) => mannerOf(number) === 'well').length
  for (let waited = 0; watched.authorized() < well && waited < 600; waited++) await delay(100)
  const memory = watchMemory(pid)
  const before = [usedBy(pid), usedBy('self')] as const
  const start = performance.now()
  const onDue = (tid: string, due: number) => watched.onDue(tid, due, isToArrive.get(tid)!)
  await captureAtPace({ requests, connections, tids, perSecond, seconds, onDue })
  const isDone = () => watched.received.length >= watched.expected()
  for (let waited = 0; !isDone() && waited < 200; waited++) await delay(100)
  const used = [usedBy(pid) - before[0], usedBy('self') - before[1]] as const
  memory.stop()
  for (const { close } of connections) close()
  receivers.close()
  return { watched, start, samples: memory.samples, used }
}

const report = ({ watched, start, samples, used }: Awaited<ReturnType<typeof measure>>): string => {
  const latencies = sorted(watched.received.map(({ latency }) => latency))
  const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => inMs(quantile(latencies, share)))
  const load = `${perSecond} events/s, ${seconds} s`
  const what = `${destinations} destinations, 1 % dead, 1 % after 9 s, ${load}`
  const windows = windowsOf(start, watched.received, samples)
  const memory = windows.map((window) => window.memory)
  const tenth = Math.max(1, Math.floor(memory.length / 10))
  const ends = [memory.slice(0, tenth), memory.slice(-tenth)].map((part) => Math.max(...part))
  writeFileSync(plot, plotOf(`${what}: p50 ${p50}, p99 ${p99}`, windows))
  return [
    what,
    `received ${watched.different()} of ${watched.expected()}, ` +
      `${latencies.length - watched.different()} of them twice`,
    `from due to received p50 ${p50}, p99 ${p99}, longest ${longest}`,
    `memory ${ends.map(inMebibytes).join(' at first, ')} in the end, ` +
      `most ${inMebibytes(Math.max(...memory))}`,
    `processor: the service ${used[0].toFixed(1)} s, this process ${used[1].toFixed(1)} s`,
    '',
  ].join('\n')
}

const directory = mkdtempSync(join(tmpdir(), 'daybook-callbacks-'))
const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
const service = await startServer('../dist/infrastructure/main.js', ['serve'], {
  ...environment,
  LOG_LEVEL: 'error',
})
try {
  const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
  process.stdout.write(report(await measure(service.address, adminKey, service.pid)))
} finally {
  await service.stop()
  rmSync(directory, { recursive: true, force: true })
}
