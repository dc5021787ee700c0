import { scaleLinear } from 'd3-scale'
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { median, type Case, type Figure, type Scenario, type Scope } from './scope.ts'
import { quantile, authorize, authorizeOne, makeLoad, shareOut, type Turn } from './load.ts'
import { payments, requestsOf, type Shop } from './client.ts'
import { openProbe } from './probe.ts'
import { memoryOf, processorTime, type Load } from './processes.ts'
import {
  behaviourOf,
  openListener,
  startFeeder,
  startReceivers,
  type Receipt,
} from './receivers.ts'

/** Memory of the service, at so many ms from the start, in bytes. */
export type Sample = {
  readonly at: number
  readonly rss: number
  readonly heaps: number
}

type Line = { readonly name: string; readonly colour: string; readonly values: readonly number[] }

const [width, height, left, panelWidth, panelHeight] = [760, 470, 64, 670, 150]

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x}" y="${y}" ${more}>${content}</text>`

const panel = (title: string, top: number, least: number, lines: readonly Line[]): string[] => {
  const most = Math.max(least, ...lines.flatMap(({ values }) => values.filter(Number.isFinite)))
  const y = scaleLinear([0, most], [top + panelHeight, top]).nice(5)
  return [
    text(left, top - 10, title, 'font-weight="600"'),
    ...y
      .ticks(5)
      .map(
        (mark) =>
          `<path d="M${left} ${y(mark)}h${panelWidth}" stroke="#ddd"/>` +
          text(left - 8, y(mark) + 4, `${mark}`, 'text-anchor="end"'),
      ),
    ...lines.map(({ name, colour, values }, index) => {
      const x = scaleLinear([0, values.length - 1], [left, left + panelWidth])
      const path = values.map((value, at) => {
        const move = Number.isFinite(values[at - 1]) ? 'L' : 'M'
        return Number.isFinite(value) ? `${move}${x(at)},${y(value)}` : ''
      })
      return (
        `<path d="${path.join('')}" fill="none" stroke="${colour}"/>` +
        text(x.range()[1]! - index * 60, top - 10, name, `style="fill:${colour}" text-anchor="end"`)
      )
    }),
  ]
}

/** Latency of messages and memory of the service over time, as SVG. */
export const plotOf = (
  caption: string,
  seconds: number,
  received: readonly { readonly at: number; readonly latency: number }[],
  samples: readonly Sample[],
): string => {
  const windows = Array.from({ length: 120 }, (_, index) => (index * seconds * 1_000) / 120)
  const within = <One extends { readonly at: number }>(all: readonly One[], from: number) =>
    all.filter(({ at }) => at >= from && at < from + (seconds * 1_000) / 120)
  const latencies = windows.map((from) =>
    within(received, from)
      .map(({ latency }) => latency)
      .sort((a, b) => a - b),
  )
  const of = (share: number) => latencies.map((sorted) => quantile(sorted, share))
  const mebibytes = (bytes: (sample: Sample) => number) =>
    windows.map((from) => median(within(samples, from).map(bytes)) / 2 ** 20)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}">`,
    '<style>text{font:12px system-ui,sans-serif;fill:#333}</style>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(left, 28, `${caption}, ${seconds} s`),
    ...panel('From due to received, ms', 70, 1_000, [
      { name: 'p99', colour: '#1f5fbf', values: of(0.99) },
      { name: 'p50', colour: '#2a8a4a', values: of(0.5) },
    ]),
    ...panel('Memory of the service, MiB', 280, 100, [
      { name: 'RSS', colour: '#8a4a1f', values: mebibytes(({ rss }) => rss) },
      { name: 'heaps', colour: '#2a8a4a', values: mebibytes(({ heaps }) => heaps) },
    ]),
    '</svg>\n',
  ].join('\n')
}

/** The load and the receivers are this process, so that all times are of one clock. */
const tills = 32
const destinations = 1_000

/** Number of messages that each payment has: the authorisation and its captures. */
const messagesOfEach = 5

type Step = { readonly onTid: (tid: string) => void; readonly onDue: (tid: string) => void }

/**
 * Payments as in shops: each is captured a few times, then replaced by another. The number of the
 * place decides the destination.
 */
const openPlaces = (shop: Shop, count: number, uriOf: (place: number) => string) => {
  const requests = requestsOf(shop)
  let made = 0
  const places = Array.from({ length: count }, (_, place) => ({
    tid: Promise.resolve(''),
    // Staggered, so that they do not all end at the same time.
    left: place % messagesOfEach,
  }))
  const begin = (ask: Parameters<Turn>[0], place: number, onTid: (tid: string) => void) =>
    authorizeOne(requests, ask, `bench-${made++}`, uriOf(place), onTid)
  return {
    fill: (onTid: (tid: string, place: number) => void) =>
      shareOut(shop, count, async (ask, place) => {
        const tid = await begin(ask, place, (id) => onTid(id, place))
        Object.assign(places[place] as object, { tid: Promise.resolve(tid) })
      }),
    turn: (stepOf: (place: number, due: number) => Step): Turn => {
      let steps = 0
      return async (ask, due) => {
        const step = steps++
        const at = step % count
        const place = places[at] as (typeof places)[number]
        const { onTid, onDue } = stepOf(at, due)
        if (place.left > 0) {
          place.left -= 1
          const tid = await place.tid
          onDue(tid)
          await ask(requests.secret(...payments.capture(tid, `c-${step}`)), 204)
          return true
        }
        place.left = messagesOfEach - 1
        place.tid = begin(ask, at, (tid) => {
          onTid(tid)
          onDue(tid)
        })
        await place.tid
        return true
      }
    },
  }
}

type Open = { readonly firstSeqno: number; readonly due: number[]; readonly seen: Set<number> }

/** Latencies of messages from when they are due, by payment and sequence number. */
const watchMessages = () => {
  const open = new Map<string, Open>()
  const counts = { before: 0, expected: 0, again: 0 }
  const received: { readonly at: number; readonly latency: number }[] = []
  return {
    received,
    counts,
    /** A payment of which the first message to be measured has this number. */
    onTid: (tid: string, firstSeqno: number): void =>
      void open.set(tid, { firstSeqno, due: [], seen: new Set() }),
    onDue: (tid: string, at: number): void => {
      const payment = open.get(tid)
      if (!payment) return
      payment.due.push(at)
      counts.expected++
    },
    onReceipt: ({ tid, seqno, at }: Receipt): void => {
      const payment = open.get(tid)
      if (!payment) return
      const { firstSeqno, due, seen } = payment
      if (seen.has(seqno)) counts.again++
      else if (seqno < firstSeqno) counts.before++
      else received.push({ at, latency: at - (due[seqno - firstSeqno] ?? Number.NaN) })
      seen.add(seqno)
    },
  }
}

/** Waits, for at most so many tenths of a second. */
const until = async (isDone: () => boolean, tenths: number): Promise<void> => {
  for (let waited = 0; !isDone() && waited < tenths; waited++) await delay(100)
}

const latencyFigures = (latencies: readonly number[], processor: number): Figure[] => {
  const sorted = latencies.toSorted((a, b) => a - b)
  const times = [0.5, 0.99, 1].map((share): Figure => {
    const what = `from due to received, ${share === 1 ? 'longest' : `p${share * 100}`}`
    return { what, value: quantile(sorted, share), unit: 'ms' }
  })
  return [...times, { what: 'processor of the service', value: processor, unit: 's' }]
}

/** Seconds between two steps of an open payment. */
const stepSeconds = 5
/** A plot of less says little. */
const secondsOfPlot = 600

const measureLoad = async (scope: Scope): Promise<Figure[]> => {
  const { seconds, size: places } = scope
  const pace = places / stepSeconds
  const probe = openProbe()
  const settings = { NODE_OPTIONS: probe.nodeOptions }
  const { shop, pid } = await scope.service({ settings, onMessage: probe.onMessage })
  const watched = watchMessages()
  const receivers = await startReceivers((receipt, behaviour) => {
    if (behaviour === 'well') watched.onReceipt(receipt)
  })
  scope.later(receivers.close)
  const isWell = (place: number) => behaviourOf(place % destinations) === 'well'
  const open = openPlaces(shop, places, (place) => receivers.uriOf(place % destinations))
  let well = 0
  await open.fill((tid, place) => {
    if (!isWell(place)) return
    well += 1
    watched.onTid(tid, 2)
  })
  await until(() => watched.counts.before >= well, 600)
  const samples: Sample[] = []
  const memoryNow = () => ({ rss: memoryOf(pid, 'VmRSS') * 2 ** 20, heaps: probe.heaps() })
  const start = performance.now()
  const look = () => samples.push({ at: performance.now() - start, ...memoryNow() })
  look()
  const timer = setInterval(look, 1_000)
  scope.later(() => clearInterval(timer))
  const before = processorTime(pid)
  const turn = open.turn((place, due) => ({
    onTid: (tid) => isWell(place) && watched.onTid(tid, 1),
    onDue: (tid) => watched.onDue(tid, due),
  }))
  const group = { work: { kind: 'turn', turn }, connections: tills, pace } as const
  const { groups } = await makeLoad({ shop, warmUp: 0, seconds, groups: [group] })
  if (groups[0]?.unexpected) throw new Error(groups[0].firstUnexpected)
  const { received, counts } = watched
  await until(() => received.length >= counts.expected, 200)
  const used = (processorTime(pid) - before) / 1_000
  clearInterval(timer)
  const latencies = received.map(({ at, latency }) => ({ at: at - start, latency }))
  if (seconds >= secondsOfPlot)
    writeFileSync(
      new URL('../docs/callbacks-load.svg', import.meta.url),
      plotOf(`${destinations} destinations, ${pace} events/s`, seconds, latencies, samples),
    )
  const most = (of: (sample: Sample) => number) => Math.max(...samples.map(of)) / 2 ** 20
  const more = `${counts.again} of them twice`
  const messages = { value: received.length, unit: 'messages', limit: counts.expected, more }
  return [
    { what: 'received of those due', ...messages, target: ['ratio', '≥', 1] },
    ...latencyFigures(
      received.map(({ latency }) => latency),
      used,
    ),
    { what: 'most memory', value: most(({ rss }) => rss), unit: 'MiB' },
    { what: 'most in the heaps of all threads', value: most(({ heaps }) => heaps), unit: 'MiB' },
  ]
}

const loadCase: Case = {
  about:
    'Messages to 1,000 destinations, 1 % dead and 1 % answering after 9 s; with ten minutes it ' +
    'draws docs/callbacks-load.svg. Size: open payments, a message of each every five seconds',
  usual: { rounds: 1, seconds: 600, size: 2_500 },
  quick: { rounds: 1, seconds: 5, size: 100 },
  open: () => measureLoad,
}

const modes = ['without', 'receivers fed', 'with callbacks'] as const
type Mode = (typeof modes)[number]

const measureBeside = async (
  scope: Scope,
  load: Load,
  mode: Mode,
  uris: readonly string[],
  lastReceipt: () => number,
): Promise<number> => {
  const { shop, stop } = await scope.service()
  const addresses = mode === 'with callbacks' ? uris : []
  const tids = await load.authorize(shop, scope.label(), 8 * scope.size, addresses)
  await until(() => performance.now() - lastReceipt() > 1_500, 600)
  const well = uris.filter((_, number) => behaviourOf(number) === 'well')
  const feeder = mode === 'receivers fed' ? startFeeder(scope.size, well) : undefined
  if (feeder) await until(() => performance.now() - lastReceipt() < 100, 600)
  const work = { kind: 'capture', level: 'SECRET', label: scope.label(), tids } as const
  const group = { work, connections: tills, pace: scope.size }
  const { p99 } = await load.one(shop, scope.seconds, group, 2)
  feeder?.kill()
  await stop()
  return p99
}

const beside: Case = {
  about:
    'p99 of paced captures with callbacks, and while another process posts as much to the ' +
    'receivers, beside no callbacks. Size: captures a second',
  usual: { rounds: 10, seconds: 10, size: 500 },
  quick: { rounds: 1, seconds: 3, size: 25 },
  open: async (shared) => {
    let last = 0
    const receivers = await startReceivers(() => (last = performance.now()))
    shared.later(receivers.close)
    const load = shared.load()
    const uris = Array.from({ length: destinations }, (_, number) => receivers.uriOf(number))
    return async (scope) => {
      const measure = (mode: Mode) => measureBeside(scope, load, mode, uris, () => last)
      const limit = await measure('without')
      const rest: Figure[] = []
      for (const what of modes.slice(1))
        rest.push({ what, value: await measure(what as Mode), unit: 'ms', limit })
      return rest
    }
  },
}

const listenersOfEach = 5

const measurePusher = async (scope: Scope): Promise<Figure[]> => {
  const { size: channels, seconds } = scope
  // Each subscriber has a different address, as in reality.
  const { shop, pid } = await scope.service({ settings: { TRUSTED_PROXIES: '127.0.0.1' } })
  const uris = Array.from({ length: channels }, (_, at) => `pusher:m-sandbox-bench-${at}`)
  const tids = await authorize(shop, scope.label(), channels, uris)
  const { host, port } = shop.address
  const url = `ws://${host}:${port}/app/daybook?protocol=7`
  const listeners = channels * listenersOfEach
  const heard: (Receipt & { readonly listener: number })[] = []
  const listen = async (listener: number): Promise<void> => {
    const channel = `m-sandbox-bench-${listener % channels}`
    const add = (receipt: Receipt) => heard.push({ ...receipt, listener })
    scope.later(await openListener(url, listener, channel, add))
  }
  for (let from = 0; from < listeners; from += 250) {
    const some = Array.from({ length: Math.min(250, listeners - from) }, (_, at) => from + at)
    await Promise.all(some.map(listen))
  }
  const before = processorTime(pid)
  const due = new Map<string, number[]>(tids.map((tid) => [tid, []]))
  let count = 0
  const turn: Turn = async (ask, at) => {
    const tid = tids[count % tids.length] as string
    due.get(tid)?.push(at)
    const capture = payments.capture(tid, `c-${count++}`)
    await ask(requestsOf(shop).secret(...capture), 204)
    return true
  }
  const pace = channels / 2
  const group = { work: { kind: 'turn', turn }, connections: tills, pace } as const
  await makeLoad({ shop, warmUp: 0, seconds, groups: [group] })
  await until(() => heard.length >= count * listenersOfEach, 100)
  const used = (processorTime(pid) - before) / 1_000
  // The first message of a payment is its authorisation.
  const captured = heard.filter(({ seqno }) => seqno > 1)
  const latencies = captured.map(
    ({ tid, seqno, at }) => at - (due.get(tid)?.[seqno - 2] ?? Number.NaN),
  )
  const once = new Set(captured.map(({ listener, tid, seqno }) => `${listener} ${tid} ${seqno}`))
  const more = `${captured.length - once.size} of them twice`
  const messages = {
    value: captured.length,
    unit: 'messages',
    limit: count * listenersOfEach,
    more,
  }
  return [
    { what: 'heard of those due', ...messages, target: ['ratio', '≥', 1] },
    ...latencyFigures(latencies, used),
  ]
}

const pusher: Case = {
  about:
    'Each of five listeners of a channel hears its captures, one in two seconds. Size: channels',
  usual: { rounds: 1, seconds: 30, size: 1_000 },
  quick: { rounds: 1, seconds: 5, size: 50 },
  open: () => measurePusher,
}

export const cases: Scenario = { load: loadCase, beside, pusher }
