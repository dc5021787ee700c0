import { build } from 'esbuild'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConnection, requestsOf, type Level, type Shop } from './client.ts'
import { strangers, signIns } from './crowds.ts'
import { turnOf, type Ask, type Group, type Measured, type Work } from './load.ts'
import { expected, type Load } from './processes.ts'
import { worstBodies } from './bodies.ts'
import { type Case, type Figure, type Scenario, type Scope } from './scope.ts'

const atOnce = 64
const readers = 32
/** Captures per second in the background, as in a busy shop, and reads by readers with pauses. */
const [backgroundPace, readingPace] = [1_000, 2_000]

/** Resident memory of a process in MB (Linux only). */
const residentOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Two processes of one build differ throughout their lives, so each round has its own. */
const startBoth = async (scope: Scope, DATA_DIR: string) => {
  const file = join(scope.folder(), 'bare.sqlite')
  const { address } = await scope.server('reference-apps.ts', ['bare', file], {})
  const service = await scope.service({ settings: { DATA_DIR } })
  const { adminKey } = service.shop
  return { bare: { address, adminKey }, service, load: scope.load() }
}

const capturesOf = (scope: Scope, tids: readonly string[], level: Level = 'SECRET'): Work => {
  return { kind: 'capture', level, label: scope.label(), tids }
}

const captures: Case = {
  about: 'Captures and whole lifecycles of 64 connections, beside the bare durable app',
  usual: { rounds: 5, seconds: 3, size: 10_000 },
  quick: { rounds: 1, seconds: 0.7, size: 500 },
  open: (shared) => {
    const folder = shared.folder()
    return async (scope) => {
      const { bare, service, load } = await startBoth(scope, folder)
      const { seconds } = scope
      const tids = await load.authorize(service.shop, scope.label(), scope.size)
      const measure = (shop: Shop, work: Work) =>
        load.one(shop, seconds, { work, connections: atOnce }, seconds)
      const hello = await measure(bare, { kind: 'request', path: '/' })
      const limit = (await measure(bare, capturesOf(scope, tids))).perSecond
      const captured = await measure(service.shop, capturesOf(scope, tids))
      const megabytes = residentOf(service.pid)
      const lifecycle = { kind: 'lifecycle', label: scope.label() } as const
      const lifecycles = await measure(service.shop, lifecycle)
      const beside = (what: string, value: number): Figure => {
        return { what, value, unit: 'requests/s', limit, target: ['ratio', '≥', 0.5] }
      }
      return [
        beside('captures, SECRET', captured.perSecond),
        beside('whole lifecycles, four requests each', lifecycles.perSecond),
        { what: 'resident memory after captures', value: megabytes, unit: 'MB' },
        { what: 'bare Hono answer', value: hello.perSecond, unit: 'requests/s' },
      ]
    }
  },
}

const levels: Case = {
  about: 'Each kind of request, by level and connections, beside captures of the bare app',
  usual: { rounds: 1, seconds: 3, size: 10_000 },
  quick: { rounds: 1, seconds: 0.7, size: 500 },
  open: (shared) => {
    const folder = shared.folder()
    return async (scope) => {
      const { bare, service, load } = await startBoth(scope, folder)
      const figures: Figure[] = []
      const measure = async (what: string, level: Level, connections: number, work: Work) => {
        // Requests that were signed in advance soon run out.
        const warmUp = level === 'KEY' ? scope.seconds / 12 : scope.seconds / 3
        const group = { connections, work }
        const one = await load.one(service.shop, scope.seconds, group, warmUp)
        const tids = ['none']
        const ofBare = { connections, work: capturesOf(scope, tids) }
        const limit = await load.one(bare, scope.seconds, ofBare)
        const times = [one.p50, one.p95, one.p99].map((time) => time.toFixed(2))
        figures.push({
          what: `${what}, ${level}, ${connections}`,
          value: one.perSecond,
          unit: 'requests/s',
          limit: limit.perSecond,
          more: `p50 p95 p99 ${times.join(' ')} ms`,
        })
      }
      for (const level of ['SECRET', 'KEY'] as const)
        for (const connections of [1, readers, atOnce]) {
          const tids = await load.authorize(service.shop, scope.label(), scope.size)
          const label = scope.label()
          await measure('create', level, connections, { kind: 'create', level, label })
          await measure('capture', level, connections, capturesOf(scope, tids, level))
          await measure('outcome', level, connections, { kind: 'outcome', level, tids })
        }
      // Last, because it fills the vault, which would affect the others.
      const others = { level: 'SECRET', label: scope.label(), ofOthers: true } as const
      await measure('create for others', 'SECRET', atOnce, { kind: 'create', ...others })
      return figures
    }
  },
}

const outcomes: Case = {
  about: 'p99 of reading outcomes during captures, beside the bare app during as many commits',
  usual: { rounds: 5, seconds: 3, size: 10_000 },
  quick: { rounds: 1, seconds: 0.7, size: 500 },
  open: (shared) => {
    const folder = shared.folder()
    return async (scope) => {
      const { bare, service, load } = await startBoth(scope, folder)
      const { shop } = service
      const tids = await load.authorize(shop, scope.label(), scope.size)
      const read = { kind: 'outcome', level: 'SECRET', tids } as const
      // New ones for each window: a capture made before would be a repeat.
      const background = (): Group => {
        return { work: capturesOf(scope, tids), connections: readers, pace: backgroundPace }
      }
      const flood = (): Group => ({ work: capturesOf(scope, tids), connections: atOnce })
      const p99 = async (of: Shop, work: Work, pace: { pace?: number }, beside: Group) => {
        const groups = [{ work, connections: readers, ...pace }, beside]
        const loaded = await load.load({ shop: of, warmUp: 1, seconds: scope.seconds, groups })
        return loaded.groups.map(expected)[0]?.p99 ?? NaN
      }
      const ways = [
        [`${readingPace} outcomes/s beside ${backgroundPace} captures/s`, readingPace, background],
        [`ceaseless readers beside ${backgroundPace} captures/s`, undefined, background],
        [`ceaseless readers, ${atOnce} capturing`, undefined, flood],
      ] as const
      const figures: Figure[] = []
      for (const [what, paced, beside] of ways) {
        const pace = paced === undefined ? {} : { pace: paced }
        const limit = await p99(bare, { kind: 'request', path: '/' }, pace, beside())
        const value = await p99(shop, read, pace, beside())
        figures.push({ what, value, unit: 'ms', limit, target: ['value', '≤', 5] })
      }
      return figures
    }
  },
}

/** Processor time used by a process and its children so far, in ms (Linux only). */
const processorTime = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = (Number(fields[11]) + Number(fields[12])) * 10
  return children.filter(Boolean).reduce((sum, child) => sum + processorTime(Number(child)), own)
}

const plainApp = '../node_modules/.cache/daybook-bench/reference-apps.mjs'

/** Bundles the plain app like the service. */
const buildPlainApp = () =>
  build({
    entryPoints: [fileURLToPath(new URL('reference-apps.ts', import.meta.url))],
    outfile: fileURLToPath(new URL(plainApp, import.meta.url)),
    ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node' },
    ...{ target: 'node20.19', logLevel: 'warning' },
  })

type Started = { readonly pid: number; readonly base: string; readonly shop: Shop }

/** Starts a server, and measures the milliseconds to its first response. */
const timeStart = async <Server extends { readonly base: string }>(
  start: () => Promise<Server>,
) => {
  const began = performance.now()
  const started = await start()
  const { ok } = await fetch(`${started.base}/health/live`)
  if (!ok) throw new Error('the first answer is not 200')
  return { ...started, firstAnswer: performance.now() - began }
}

/** Runs lifecycles in sequence on one connection, and records their milliseconds. */
const openCustomer = async ({ pid, shop }: Started, label: string) => {
  const turn = await turnOf({ kind: 'lifecycle', label }, requestsOf(shop), 1)
  const connection = await openConnection(shop.address)
  const ask: Ask = async (request, status) => {
    const answer = await connection.ask(request)
    if (answer.status !== status) throw new Error(`${answer.status}: ${answer.body}`)
    return answer
  }
  let [wall, processor, lifecycles] = [0, 0, 0]
  return {
    go: async (count: number): Promise<void> => {
      const began = performance.now()
      for (let done = 0; done < count; done++) await turn(ask, began)
      wall += performance.now() - began
      lifecycles += count
    },
    begin: (): void => void ([wall, processor, lifecycles] = [0, processorTime(pid), 0]),
    cost: () => {
      return { wall: wall / lifecycles, used: (processorTime(pid) - processor) / lifecycles }
    },
    close: () => connection.close(),
  }
}

/** Lifecycles per app before switching to the other, for equal conditions. */
const inARow = 25

const alone: Case = {
  about:
    'A lifecycle with nothing else in flight, and the start, beside a plain Hono app with a ' +
    'transaction for each request. Size: lifecycles',
  usual: { rounds: 5, seconds: 0, size: 400 },
  quick: { rounds: 1, seconds: 0, size: 50 },
  open: async (shared) => {
    await buildPlainApp()
    const DATA_DIR = shared.folder()
    const { stop } = await shared.service({ settings: { DATA_DIR } })
    await stop()
    return async (scope) => {
      const service = await timeStart(() => scope.service({ settings: { DATA_DIR } }))
      const { adminKey } = service.shop
      const file = join(scope.folder(), 'plain.sqlite')
      const started = await timeStart(() => scope.server(plainApp, ['plain', file], {}))
      const plain = { ...started, shop: { address: started.address, adminKey } }
      const label = scope.label()
      const both = [await openCustomer(service, label), await openCustomer(plain, label)] as const
      const takeTurns = async (): Promise<void> => {
        for (let done = 0; done < scope.size; done += inARow)
          for (const customer of both) await customer.go(inARow)
      }
      await takeTurns()
      for (const { begin } of both) begin()
      await takeTurns()
      const [ours, limits] = both.map(({ cost }) => cost()) as [Cost, Cost]
      for (const { close } of both) close()
      const figure = (what: string, value: number, limit: number): Figure => {
        return { what, value, unit: 'ms', limit }
      }
      return [
        { ...figure('a lifecycle', ours.wall, limits.wall), target: ['ratio', '≤', 1.3] },
        figure('processor of a lifecycle', ours.used, limits.used),
        figure('start to first answer', service.firstAnswer, plain.firstAnswer),
      ]
    }
  },
}

type Cost = { readonly wall: number; readonly used: number }

const measureProcesses = async (scope: Scope, load: Load, count: number) => {
  const words = count === 1 ? ['serve'] : ['serve', '--processes', String(count)]
  const { shop, pid, stop } = await scope.service({ words })
  const tids = await load.authorize(shop, scope.label(), 3_000)
  const measure = async (work: Work): Promise<Measured & { readonly used: number }> => {
    const [before, began] = [processorTime(pid), performance.now()]
    const one = await load.one(shop, scope.seconds, { work, connections: atOnce })
    const requests = (one.perSecond * (performance.now() - began)) / 1_000
    return { ...one, used: (processorTime(pid) - before) / requests }
  }
  const captured = await measure(capturesOf(scope, tids))
  const read = await measure({ kind: 'outcome', level: 'SECRET', tids })
  await stop()
  return [captured, read] as const
}

const processes: Case = {
  about: 'Several processes on one log, beside one. Size: processes',
  usual: { rounds: 3, seconds: 4, size: 2 },
  quick: { rounds: 1, seconds: 1, size: 2 },
  open: (shared) => {
    const load = shared.load()
    return async (scope) => {
      const one = await measureProcesses(scope, load, 1)
      const several = await measureProcesses(scope, load, scope.size)
      return ['captures', 'outcomes'].map((what, at) => {
        const [both, single] = [several[at], one[at]]
        const used = [both, single].map((each) => each?.used.toFixed(2))
        return {
          ...{ what, value: both?.perSecond ?? NaN, unit: 'requests/s' },
          limit: single?.perSecond ?? NaN,
          more: `${used[0]} ms of processor each, ${used[1]} of one`,
        }
      })
    }
  },
}

export const cases: Scenario = {
  captures,
  levels,
  outcomes,
  alone,
  processes,
  strangers,
  'sign-ins': signIns,
  bodies: worstBodies,
}
