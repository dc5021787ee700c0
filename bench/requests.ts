import { build } from 'esbuild'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConnection, requestsOf, type Level, type Shop } from './client.ts'
import { askOn, turnOf, type Group, type Measured, type Work } from './load.ts'
import { expected, memoryOf, processorTime, type Load } from './processes.ts'
import { amid } from './amid.ts'
import type { Case, Figure, Scenario, Scope } from './scope.ts'
import { setTimeout as pause } from 'node:timers/promises'

/* Captures of tills beside a crowd on other connections, each in a load process of its own. */

const get = (path: string): Work => ({ kind: 'request', path })

/** What anybody may ask. */
const asked = (shortlink: string): Readonly<Record<string, Work>> => ({
  search: get('/docs?q=payment+{count}'),
  'page with ids': get('/docs/signing?merchant=m{count}'),
  'openapi.json': get('/openapi.json'),
  'QR image': get(`/shortlink/v1/qr_image/${shortlink}/{count}`),
  checkpoint: get('/transparency/checkpoint'),
  proof: get('/transparency/proof/inclusion?index=1'),
  discovery: get('/.well-known/openid-configuration'),
  'sign-in page': get('/payer/sign-in'),
})

const makeShortlink = async (shop: Shop): Promise<string> => {
  const connection = await openConnection(shop.address)
  const request = requestsOf(shop).secret('POST', '/merchant/v1/shortlink/', '{"description":"b"}')
  const { body } = await connection.ask(request)
  connection.close()
  return (JSON.parse(body) as { id: string }).id
}

const strangers: Case = {
  about:
    '100 captures a second beside 128 connections that ask what anybody may ask; the limit is ' +
    'beside as many on /health/live',
  usual: { rounds: 3, seconds: 5, size: 2_000 },
  quick: { rounds: 1, seconds: 1, size: 200 },
  open: async (shared) => {
    const { shop } = await shared.service()
    const [ofCaptures, ofOthers] = [shared.load(), shared.load()]
    const shortlink = await makeShortlink(shop)
    // The first checkpoint is signed after ten seconds.
    await pause(11_000)
    return async ({ seconds, size, label }) => {
      const beside = async (work: Work) => {
        const tids = await ofCaptures.authorize(shop, label(), size)
        const capture = { kind: 'capture', level: 'SECRET', label: label(), tids } as const
        const [{ p99 }, others] = await Promise.all([
          ofCaptures.one(shop, seconds, { work: capture, connections: 8, pace: 100 }),
          ofOthers.one(shop, seconds, { work, connections: 128 }),
        ])
        return { p99, perSecond: Math.round(others.perSecond) }
      }
      const reference = await beside(get('/health/live'))
      const figures: Figure[] = []
      for (const [name, work] of Object.entries(asked(shortlink))) {
        const { p99: value, perSecond } = await beside(work)
        const [what, more] = [`p99 of captures, ${name}`, `${perSecond} others/s`]
        figures.push({ what, value, unit: 'ms', limit: reference.p99, more })
      }
      return figures
    }
  },
}

const atOnce = 64
const readers = 32
/** Captures per second in the background, as in a busy shop, and reads by readers with pauses. */
const [backgroundPace, readingPace] = [1_000, 2_000]

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
      const megabytes = memoryOf(service.pid, 'VmRSS')
      // Signed in advance, so that they soon run out.
      const signed = { work: capturesOf(scope, tids, 'KEY'), connections: atOnce }
      const byKey = await load.one(service.shop, seconds, signed, seconds / 4)
      const lifecycle = { kind: 'lifecycle', label: scope.label() } as const
      const lifecycles = await measure(service.shop, lifecycle)
      const beside = (what: string, value: number): Figure => {
        return { what, value, unit: 'requests/s', limit, target: ['ratio', '≥', 0.5] }
      }
      return [
        beside('captures, SECRET', captured.perSecond),
        beside('whole lifecycles, four requests each', lifecycles.perSecond),
        { what: 'captures, KEY', value: byKey.perSecond, unit: 'requests/s', limit },
        { what: 'resident memory after captures', value: megabytes, unit: 'MB' },
        { what: 'bare Hono answer', value: hello.perSecond, unit: 'requests/s' },
      ]
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

/** What the bench builds and installs for itself. */
export const cache = '../node_modules/.cache/daybook-bench'

/** Builds an app of the bench, as the service is built; returns its script. */
export const buildApp = async (name: 'reference-apps' | 'peer-apps'): Promise<string> => {
  const script = `${cache}/${name}.mjs`
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    outfile: fileURLToPath(new URL(script, import.meta.url)),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })
  return script
}

type Started = { readonly pid: number; readonly base: string; readonly shop: Shop }

/** Starts a server, and measures the milliseconds to its first response. */
export const timeStart = async <Server extends { readonly base: string }>(
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
  const ask = askOn(connection)
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
    const plainApp = await buildApp('reference-apps')
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
          what,
          value: both?.perSecond ?? NaN,
          unit: 'requests/s',
          limit: single?.perSecond ?? NaN,
          more: `${used[0]} ms of processor each, ${used[1]} of one`,
        }
      })
    }
  },
}

/** Takes what the exporter sends, and reads none of it. */
const startCollector = async ({ later }: Scope): Promise<string> => {
  const server = createServer((request, answer) => request.resume().on('end', () => answer.end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  later(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const traces: Case = {
  about:
    'Captures of 64 connections while one trace in ten is recorded, beside the same without, in ' +
    'turns. Size: payments',
  usual: { rounds: 8, seconds: 2, size: 2_000 },
  quick: { rounds: 1, seconds: 0.7, size: 500 },
  open: async (shared) => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = await startCollector(shared)
    const sampler = 'parentbased_traceidratio'
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: sampler }
    return async (scope) => {
      const load = scope.load()
      const start = async (settings: Readonly<Record<string, string>>) => {
        const { shop } = await scope.service({ settings })
        const tids = await load.authorize(shop, scope.label(), scope.size)
        return async (): Promise<number> => {
          const group = { work: capturesOf(scope, tids), connections: atOnce }
          // Warm, as a service is that has run for a while.
          return (await load.one(shop, scope.seconds, group, scope.seconds)).perSecond
        }
      }
      const without = await start({})
      const beside = await start({ ...traced, OTEL_TRACES_SAMPLER_ARG: '0.1' })
      const [limit, value] = [await without(), (await beside()) + (await beside())]
      const figure = { value: value / 2, limit: (limit + (await without())) / 2 }
      const target = ['ratio', '≥', 0.95] as const
      return [{ what: 'captures with traces', ...figure, unit: 'requests/s', target }]
    }
  },
}

export const cases: Scenario = {
  amid,
  captures,
  traces,
  outcomes,
  alone,
  processes,
  strangers,
}
