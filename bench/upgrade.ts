import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { programIn } from '../audit/what-if/replay-build.ts'
import { send } from '../tests/support/http-service.ts'
import { endProcess, makeReleases, pidServing } from '../harness/releases.ts'
import { secretHeaders } from '../harness/signing.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { openStore } from '../infrastructure/stores.ts'
import { payments } from './client.ts'
import { seed } from './histories.ts'
import { authorize, quantile } from './load.ts'
import { startProtocolServer } from './processes.ts'
import {
  openScope,
  secondsSince,
  type Case,
  type Figure,
  type Scenario,
  type Scope,
} from './scope.ts'

/* An upgrade and its way back, while tills capture. */

const tills = 16
const capturesPerSecond = Number(process.env['BENCH_PACE'] ?? 300)
/** Payments that they capture, a krone each time. */
const open = 2_000
/** The old process has closed its connections by then. */
const settleMs = 6_000

type Settings = Readonly<Record<string, string>> & { readonly DATA_DIR: string }
type Node = { readonly settings: Settings; readonly base: string }

const headers = secretHeaders('sandbox', 'pos1', 'sandbox-secret')

/**
 * Captures at a pace, over connections that are kept, with nothing sent again. A capture takes from
 * when it is due until its answer.
 */
const startCaptures = (nodes: readonly Node[], tids: readonly string[], label: string) => {
  const answers: { readonly at: number; readonly took: number }[] = []
  const failures: string[] = []
  const began = performance.now()
  let isOver = false
  const run = async (till: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { base } = nodes[till % nodes.length] as Node
    for (let count = till; !isOver; count += tills) {
      const at = began + (count * 1_000) / capturesPerSecond
      await pause(Math.max(0, at - performance.now()))
      const [method, path, body] = payments.capture(tids[count % open] ?? '', `${label}-${count}`)
      try {
        const { status, text } = await send(agent, base, method, path, { headers, body })
        if (status === 204) answers.push({ at, took: performance.now() - at })
        else failures.push(`${status} ${text}`)
      } catch (error) {
        failures.push(String(error))
      }
    }
    agent.destroy()
  }
  const running = Promise.all(Array.from({ length: tills }, (_, till) => run(till)))
  return {
    failures,
    /** Of those that were due then; ask when all are answered. */
    p99: (from: number, until: number): number => {
      const within = answers.filter(({ at }) => at >= from && at < until)
      return quantile(
        within.map(({ took }) => took).sort((a, b) => a - b),
        0.99,
      )
    },
    stop: async (): Promise<number> => {
      isOver = true
      await running
      return answers.length
    },
  }
}

/** How many captures the log has after a position. */
const capturesAfter = async (settings: Settings, position: number): Promise<number> => {
  const store = await openStore(readSettings(settings))
  let count = 0
  for await (const events of store.readAll(position))
    count += events.filter(({ type }) => type === 'PaymentCaptured').length
  await store.close()
  return count
}

const fill = async (settings: Settings, events: number): Promise<void> => {
  const store = await openStore(readSettings(settings))
  if ((await store.head()) < events) await seed(store, events)
  await store.close()
}

const headOf = async (settings: Settings): Promise<number> => {
  const store = await openStore(readSettings(settings))
  const head = await store.head()
  await store.close()
  return head
}

type Words = readonly string[] | undefined

/** The services, once they are ready, and the shop of the first one. */
const startAll = async (
  { later }: Scope,
  { service }: Pick<Scope, 'service'>,
  all: readonly Settings[],
  words: Words,
) => {
  const nodes: Node[] = []
  let adminKey = ''
  for (const settings of all) {
    const { base, shop } = await service({ settings, ...(words && { words }) })
    later(() => endProcess(pidServing(settings.DATA_DIR)))
    while (!(await fetch(`${base}/health/ready`)).ok) await pause(100)
    nodes.push({ settings, base })
    if (nodes.length === 1) ({ adminKey } = shop)
  }
  const { hostname: host, port } = new URL(nodes[0]?.base ?? '')
  return { nodes, shop: { address: { host, port: Number(port) }, adminKey } }
}

type Prepared = { readonly events: number; readonly differences: number | null }

/** Replaces the nodes, one after another, by the program to which the link leads. */
const replaceAll = async (
  nodes: readonly Node[],
  { command }: Pick<Scope, 'command'>,
  p99: (from: number, until: number) => number,
) => {
  const seconds: number[] = []
  const switched: number[] = []
  const from = performance.now()
  for (const { settings } of nodes) {
    const asked = performance.now()
    await command(settings, 'reload')
    seconds.push(secondsSince(asked))
    switched.push(performance.now())
    await pause(settleMs)
  }
  const until = performance.now()
  return {
    seconds: Math.max(...seconds),
    /** Of the seconds in which nodes are replaced, the worst. */
    second: () => Math.max(...switched.map((at) => p99(at - 500, at + 500))),
    whole: () => p99(from, until),
  }
}

/** Lets each build fold its read models, and goes from one to the other while tills capture. */
const measure = async (scope: Scope, all: readonly Settings[], words: Words): Promise<Figure[]> => {
  const { built, current, use } = makeReleases(scope.folder(), scope.place)
  const running = openScope({ ...scope, program: join(current, 'dist/service/main.js') })
  const next = openScope({ ...scope, program: programIn(built.next) })
  scope.later(running.close)
  const { nodes, shop } = await startAll(scope, running, all, words)
  const [first] = nodes as [Node]
  const tids = await authorize(shop, scope.label(), open)
  const head = await headOf(first.settings)
  const captures = startCaptures(nodes, tids, scope.label())
  const { p99 } = captures
  // It warms up, and does what days that have ended leave to do.
  await pause(1_000 * scope.seconds)
  const began = performance.now()
  await pause(1_000 * scope.seconds)
  const folds = performance.now()
  const printed: string[] = []
  for (const { settings } of nodes)
    printed.push(await next.command(settings, '--json', 'upgrade', 'prepare', '--share', '0.5'))
  const prepared = performance.now()
  const [{ events, differences }] = printed.map((one) => JSON.parse(one)) as [Prepared]

  use('next')
  const forward = await replaceAll(nodes, running, p99)
  use('now')
  const back = await replaceAll(nodes, running, p99)
  const answered = await captures.stop()
  const recorded = await capturesAfter(first.settings, head)
  if (captures.failures.length > 0) scope.say(captures.failures.slice(0, 5).join('\n'))

  const before = p99(began, folds)
  const slower = (what: string, value: number, most?: number): Figure => {
    const target = most === undefined ? {} : { target: ['ratio', '≤', most] as const }
    return { what, value, unit: 'ms', limit: before, ...target }
  }
  const fails = { unit: '', target: ['value', '≤', 0] as const }
  return [
    { what: 'failed captures', value: captures.failures.length, ...fails },
    { what: 'captures recorded but not answered, or twice', value: recorded - answered, ...fails },
    { what: 'p99 of captures before', value: before, unit: 'ms', more: `${answered} in all` },
    {
      ...slower('p99 while the next build folds', p99(folds, prepared), 1.5),
      more: `${events} events, ${Math.round((prepared - folds) / 1_000)} s, ${differences} differ`,
    },
    slower('p99 in the second of the switch', forward.second(), 2),
    slower('p99 from the reload until 6 s after it', forward.whole()),
    { what: 'reload', value: forward.seconds, unit: 's' },
    slower('p99 in the second of the way back', back.second(), 2),
    { what: 'the way back', value: back.seconds, unit: 's', target: ['value', '≤', 10] },
  ]
}

const upgrade = (
  about: string,
  nodesOf: (scope: Scope) => Promise<readonly Settings[]>,
  words?: Words,
): Case => ({
  about:
    `${about}: an upgrade to the same build with other read models, or from the build of Place, ` +
    `during ${capturesPerSecond} captures a second (BENCH_PACE). Size: events`,
  usual: { rounds: 1, seconds: 60, size: 10_000_000 },
  quick: { rounds: 1, seconds: 3, size: 5_000 },
  isOfThisCheckout: true,
  open: () => async (scope) => {
    const all = await nodesOf(scope)
    await fill(all[0] as Settings, scope.size)
    return measure(scope, all, words)
  },
})

/** A log that was made before is taken as it is, and gets the captures. */
const one = async ({ folder }: Scope) => [{ DATA_DIR: process.env['BENCH_LOG'] ?? folder() }]

/** On the store of BENCH_STORE, which must be empty, or on the tests' protocol server. */
const two = async ({ folder, later }: Scope): Promise<Settings[]> => {
  let url = process.env['BENCH_STORE']
  if (url === undefined) {
    const started = await startProtocolServer(join(folder(), 'events.db'))
    later(started.stop)
    ;({ url } = started)
  }
  const shared = { EVENT_STORE: url, VAULT: join(folder(), 'vault'), BLOBS: folder() }
  return [folder(), folder()].map((DATA_DIR) => ({ ...shared, DATA_DIR }))
}

export const cases: Scenario = {
  embedded: upgrade('One process', one),
  processes: upgrade('Two processes', one, ['serve', '--processes', '2']),
  nodes: upgrade('Two nodes on EventStoreDB', two),
}
