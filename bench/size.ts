import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../infrastructure/settings.ts'
import Database from '../infrastructure/sqlite.ts'
import { openStore, readModelsIn } from '../infrastructure/stores.ts'
import { seed } from './histories.ts'
import type { Work } from './load.ts'
import { askPage, signIn } from './pages.ts'
import { memoryOf, untilIdle, type Load } from './processes.ts'
import { timeStart } from './requests.ts'
import { median, type Case, type Figure, type Scope } from './scope.ts'

/* What grows with the log: the service on a large one beside the service on an empty one. */

const people = ['staff', 'add', 'sandbox', '+4799999901', '--role', 'owner']

/** A log with this many events, folded by the measured build, with somebody in the portal. */
const prepare = async (scope: Scope, DATA_DIR: string, events: number): Promise<string> => {
  const isNew = !existsSync(join(DATA_DIR, 'events.sqlite'))
  if (isNew) {
    mkdirSync(DATA_DIR, { recursive: true })
    const store = await openStore(readSettings({ DATA_DIR }))
    await seed(store, events)
    await store.close()
  }
  await scope.command(DATA_DIR, 'rebuild')
  const { pid, stop } = await scope.service({ settings: { DATA_DIR } })
  await untilIdle(pid)
  await stop()
  if (isNew) await scope.command(DATA_DIR, ...people)
  return DATA_DIR
}

const parts = ['log', 'read models', 'tree'] as const

type Bytes = Readonly<Record<(typeof parts)[number], number>>

const numberIn = (path: string, query: string): number => {
  const file = new Database(path, { readonly: true })
  const value = Number(file.prepare(query).pluck().get())
  file.close()
  return value
}

const tiles = `SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name LIKE '%tiles%'`

/** The newest file is that of the measured build. */
const readModelsOf = (DATA_DIR: string): string =>
  readdirSync(readModelsIn({ DATA_DIR }))
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => join(readModelsIn({ DATA_DIR }), name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? ''

/** The tree stands in the file of the read models. */
const bytesIn = (DATA_DIR: string): Bytes & { readonly events: number } => {
  const [path, log] = [readModelsOf(DATA_DIR), join(DATA_DIR, 'events.sqlite')]
  const tree = numberIn(path, tiles)
  const events = numberIn(log, 'SELECT max(position) FROM events')
  return { log: statSync(log).size, 'read models': statSync(path).size - tree, tree, events }
}

/** Looked at every day. */
const pages = [
  ...['', 'payments', 'payments?status=auth', 'payments?sort=largest', 'payments?q=order-71'],
  ...['search?q=order-71', 'money', '?days=90', 'points-of-sale', 'developers/callbacks'],
]

const looks = 5

type Service = Awaited<ReturnType<Scope['service']>>

const timePages = async (service: Service): Promise<ReadonlyMap<string, number>> => {
  const portal = await signIn(service)
  const times = new Map<string, number>()
  for (const page of pages) {
    const took: number[] = []
    while (took.length < looks) {
      const path = `/portal/sandbox/${page}`
      const answer = await askPage(portal, '', { path })
      if (answer.status !== 200) throw new Error(`${answer.status} ${path}`)
      took.push(answer.took)
    }
    times.set(page, median(took))
  }
  return times
}

type Kind = 'lifecycles' | 'creates' | 'captures'

const makeWork = async (scope: Scope, load: Load, kind: Kind, { shop }: Service): Promise<Work> => {
  const label = scope.label()
  if (kind === 'lifecycles') return { kind: 'lifecycle', label }
  if (kind === 'creates') return { kind: 'create', label }
  const tids = await load.authorize(shop, scope.label(), 5_000)
  return { kind: 'capture', level: 'SECRET', label, tids }
}

const targets: Readonly<Record<string, NonNullable<Figure['target']>>> = {
  'lifecycles, requests': ['ratio', '≥', 0.9],
  'lifecycles, p99': ['ratio', '≤', 1.3],
  'start to first answer': ['value', '≤', 1_000],
}

/** Figures of the service on the large log; the limit is the empty one's. */
const compare = async (scope: Scope, large: Service, empty: Service, isLargeFirst: boolean) => {
  const load = scope.load()
  const figures: Figure[] = []
  const add = (what: string, value: number, unit: string, limit: number): void => {
    const target = targets[what]
    figures.push({ what, value, unit, limit, ...(target && { target }) })
  }
  for (const kind of ['lifecycles', 'creates', 'captures'] as const) {
    const measure = async (service: Service) => {
      const work = await makeWork(scope, load, kind, service)
      const group = { work, connections: 64 }
      return load.one(service.shop, scope.seconds, group, scope.seconds)
    }
    const before = isLargeFirst ? await measure(large) : undefined
    const limits = await measure(empty)
    const measured = before ?? (await measure(large))
    add(`${kind}, requests`, measured.perSecond, '/s', limits.perSecond)
    add(`${kind}, p50`, measured.p50, 'ms', limits.p50)
    add(`${kind}, p99`, measured.p99, 'ms', limits.p99)
  }
  const [more, less] = [large, empty].map(({ pid }) => memoryOf(pid, 'VmRSS')) as [number, number]
  add('memory', more, 'MB', less)
  const above: Figure = { what: 'memory above the empty one', value: more - less, unit: 'MB' }
  figures.push({ ...above, target: ['value', '≤', 30] })
  for (const { pid } of [large, empty]) await untilIdle(pid)
  const [slow, quick] = [await timePages(large), await timePages(empty)]
  for (const [page, took] of slow)
    figures.push({
      what: `\`/portal/sandbox/${page}\``,
      value: took,
      unit: 'ms',
      limit: quick.get(page) ?? NaN,
      target: ['value', '≤', 100],
    })
  return figures
}

export const size: Case = {
  about:
    'Lifecycles, creates and captures of 64 connections on a large log beside an empty one, the ' +
    'start, memory, bytes of an event, and pages that people look at every day. Size: events; ' +
    'place: a folder to keep the log in',
  usual: { rounds: 3, seconds: 4, size: 1_000_000 },
  quick: { rounds: 1, seconds: 1, size: 20_000 },
  open: async (shared) => {
    const { size: events, place } = shared
    const kept = place === undefined ? shared.folder() : join(place, `size-${events}`)
    const DATA_DIR = await prepare(shared, kept, events)
    const full = bytesIn(DATA_DIR)
    let round = 0
    return async (scope) => {
      const nothing = await prepare(scope, scope.folder(), 0)
      const none = bytesIn(nothing)
      const start = (of: string) => timeStart(() => scope.service({ settings: { DATA_DIR: of } }))
      const [large, empty] = [await start(DATA_DIR), await start(nothing)]
      const target = targets['start to first answer']
      const first = { what: 'start to first answer', value: large.firstAnswer, unit: 'ms' }
      const bytes = parts.map((part): Figure => {
        const value = (full[part] - none[part]) / (full.events - none.events)
        return { what: `${part}, an event`, value, unit: 'bytes' }
      })
      return [
        ...(await compare(scope, large, empty, round++ % 2 === 0)),
        { ...first, limit: empty.firstAnswer, ...(target && { target }) },
        ...bytes,
      ]
    }
  },
}
