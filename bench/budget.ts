import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeVisitor } from '../tests/people/visitor.ts'
import { payments, requestsOf, type Requests } from './client.ts'
import { authorize, shareOut } from './load.ts'
import { threadTimes, untilIdle } from './processes.ts'
import { startReceivers } from './receivers.ts'
import type { Case, Figure, Scenario, Scope } from './scope.ts'

/* Processor time of each thread for one of each thing: it moves less than rates do (Linux only). */

const threads: Readonly<Record<string, string>> = {
  'serving-worker': 'answering',
  'commit-worker': 'committing',
  'folding-worker': 'folding',
  'delivery-worker': 'delivering',
  'sending-job': 'sending',
  'pages-worker': 'pages',
}

const all = 'all threads'

/** Microseconds by what a thread does. */
type Used = ReadonlyMap<string, number>

type Measured = { readonly pid: number; readonly threadsFile?: string }

/** So far; threads that are not listed above, such as those of V8, count in the sum alone. */
const usedBy = ({ pid, threadsFile }: Measured): Used => {
  const lines = threadsFile ? readFileSync(threadsFile, 'utf8').split('\n') : []
  const modules = new Map(lines.map((line) => line.split(' ') as [string, string]))
  const used = new Map<string, number>()
  const add = (to: string, ms: number) => used.set(to, (used.get(to) ?? 0) + ms * 1_000)
  for (const [thread, ms] of threadTimes(pid)) {
    const does = threads[modules.get(thread) ?? '']
    if (does) add(does, ms)
    add(all, ms)
  }
  return used
}

const settleMs = 300

/** What one of `count` things costs, with what is done once they are answered. */
const costOf = async (of: Measured, count: number, work: () => Promise<unknown>): Promise<Used> => {
  await untilIdle(of.pid, settleMs)
  const before = usedBy(of)
  await work()
  await untilIdle(of.pid, settleMs)
  const used = [...usedBy(of)].map(([does, us]) => [does, us - (before.get(does) ?? 0)] as const)
  return new Map(used.map(([does, us]) => [does, us / count]))
}

const openReceivers = async (scope: Scope) => {
  let received = 0
  const receivers = await startReceivers(() => (received += 1))
  scope.later(receivers.close)
  return {
    // Some that answer at once.
    uris: Array.from({ length: 40 }, (_, number) => receivers.uriOf(number + 1)),
    /** Until so many messages have arrived since the last time. */
    until: async (count: number): Promise<void> => {
      while (received < count) await pause(20)
      received -= count
    },
  }
}

const startService = async (scope: Scope) => {
  const threadsFile = join(scope.folder(), 'threads')
  const script = fileURLToPath(new URL('threads.mjs', import.meta.url))
  const settings = { NODE_OPTIONS: `--import ${script}`, BENCH_THREADS: threadsFile }
  const service = await scope.service({ settings })
  const words = ['staff', 'add', 'sandbox', '+4799999901', '--role', 'owner']
  await scope.command(service.DATA_DIR, ...words)
  const visitor = makeVisitor({ address: service.base })
  await visitor.signIn('alice')
  const Cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const look = async (): Promise<void> => {
    const page = await fetch(`${service.base}/portal/sandbox/payments`, { headers: { Cookie } })
    if (!page.ok) throw new Error(`the page of payments: ${page.status}`)
    await page.text()
  }
  return { ...service, threadsFile, look, receivers: await openReceivers(scope) }
}

type Request = ReturnType<Requests['open']>

const measureService = async (
  service: Awaited<ReturnType<typeof startService>>,
  label: string,
  count: number,
) => {
  const { shop, receivers, look } = service
  const { open, secret } = requestsOf(shop)
  const tids: string[] = []
  const askAll = (of: readonly string[], status: number, write: (tid: string) => Request) => () =>
    shareOut(shop, of.length, async (ask, at) => void (await ask(write(of[at] ?? ''), status)))
  const captureAll = (of: readonly string[]) =>
    askAll(of, 204, (tid) => secret(...payments.capture(tid, label)))
  const create = () =>
    shareOut(shop, count, async (ask, at) => {
      const { body } = await ask(secret(...payments.create(`${label}-${at}`)), 201)
      tids[at] = (JSON.parse(body) as { id: string }).id
    })
  const costs = new Map<string, Used>()
  const add = async (thing: string, times: number, work: () => Promise<unknown>) =>
    costs.set(thing, await costOf(service, times, work))

  await add('create', count, create)
  await add(
    'accept',
    count,
    askAll(tids, 204, (tid) => open(...payments.accept(tid))),
  )
  await add('capture', count, captureAll(tids))
  await add(
    'outcome',
    count,
    askAll(tids, 200, (tid) => secret(...payments.outcome(tid))),
  )
  const withCallback = Math.ceil(count / 5)
  const others = await authorize(shop, `${label}-told`, withCallback, receivers.uris)
  await receivers.until(withCallback)
  await add('capture with its callback', withCallback, async () => {
    await captureAll(others)()
    await receivers.until(withCallback)
  })
  const pages = Math.ceil(count / 50)
  await add('page', pages, async () => {
    for (let page = 0; page < pages; page++) await look()
  })
  return costs
}

/** The bare app's for a capture, and for an answer that reads nothing. */
const measureBare = async (scope: Scope, adminKey: string, count: number) => {
  const file = join(scope.folder(), 'bare.sqlite')
  const { address, pid } = await scope.server('reference-apps.ts', ['bare', file], {})
  const shop = { address, adminKey }
  const { open, secret } = requestsOf(shop)
  const cost = async (request: Request, status: number): Promise<number> => {
    const ask = () => shareOut(shop, count, async (ask) => void (await ask(request, status)))
    await ask()
    return (await costOf({ pid }, count, ask)).get(all) ?? NaN
  }
  return {
    capture: await cost(secret(...payments.capture('1', 'one')), 204),
    answer: await cost(open('GET', '/'), 200),
  }
}

const budget: Case = {
  about:
    'Processor of each thread of the service for one of each thing, 64 at a time; the limit is ' +
    "the bare app's for a capture, and for a plain answer. Size: payments",
  usual: { rounds: 3, seconds: 0, size: 10_000 },
  quick: { rounds: 1, seconds: 0, size: 500 },
  open: () => async (scope) => {
    const service = await startService(scope)
    await measureService(service, scope.label(), Math.ceil(scope.size / 2))
    const costs = await measureService(service, scope.label(), scope.size)
    const bare = await measureBare(scope, service.shop.adminKey, scope.size)
    const figures: Figure[] = []
    for (const [thing, used] of costs)
      for (const does of [all, ...Object.values(threads)]) {
        const value = used.get(does) ?? 0
        const limit = thing === 'outcome' || thing === 'page' ? bare.answer : bare.capture
        const figure = { what: `${thing}, ${does}`, value, unit: 'µs' }
        figures.push(does === all ? { ...figure, limit } : figure)
      }
    return figures
  },
}

export const cases: Scenario = { budget }
