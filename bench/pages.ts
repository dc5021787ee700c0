import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { dayMs } from '../domain/time.ts'
import { operatorTries } from '../tests/operator/operator-tries.ts'
import { formIn, makeVisitor } from '../tests/people/visitor.ts'
import { portalTries } from '../tests/portal/portal-tries.ts'
import { quantile } from './load.ts'
import { threadTimes, untilIdle, usedSince } from './processes.ts'
import { codeOf, numbersFrom, portalLog, posOf, shop, type PortalLog } from './portal-log.ts'
import type { Case, Figure, Scenario, Scope } from './scope.ts'

/** A request for a page; forms are those that change nothing. */
type PageAsk = {
  readonly path: string
  readonly form?: Readonly<Record<string, string>>
}

const statuses = ['', 'pending', 'auth', 'ok', 'refunded', 'fail'] as const
const orders = ['', 'largest'] as const

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const query = (values: Readonly<Record<string, string | number>>): string =>
  new URLSearchParams(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/** Lists of payments: each filter and order, few and many matches, deep pages. */
const listQueries = ({ customers, payments }: PortalLog, now: number): string[] => {
  const month = { since: dayOf(now - 40 * dayMs), until: dayOf(now - 10 * dayMs) }
  const day = { since: dayOf(now - 9 * dayMs), until: dayOf(now - 9 * dayMs) }
  const half = now - 180 * dayMs
  const rare = posOf(290)
  const places = [
    { behind: `0-${half}-${2 * payments}` },
    { behind: `0-${now - 355 * dayMs}-100000` },
    { sort: 'largest', behind: `40000-${half}-${2 * payments}` },
  ]
  const named = [
    ...[{ q: `order-${Math.floor(payments / 2)}` }, { q: 'order-none' }, { q: 'nobody' }],
    ...[{ q: customers[7] ?? '' }, { q: customers[7] ?? '', sort: 'largest' }],
    { q: customers[7] ?? '', status: 'fail', pos: rare },
  ]
  const filters = [
    {},
    ...[month, day, { pos: posOf(3) }, { pos: rare }, { pos: 'none' }],
    ...[{ least: '100', most: '100' }, { least: '100', most: '900' }, { least: '40000' }],
    ...[{ least: '99999' }, { ...month, pos: rare }, { ...month, least: '30000' }],
    { pos: rare, least: '12345.67' },
  ]
  const combined = filters.flatMap((filter) =>
    statuses.flatMap((status) => orders.map((sort) => ({ ...filter, status, sort }))),
  )
  return [...places, ...named, ...combined].map(query)
}

const worst = (log: PortalLog, now: number): string[] => {
  const { tids } = log
  const found = Object.values(tids)
  const many = tids['in many parts'] ?? ''
  const texts = Array.from({ length: 120 }, (_, number) => `table ${number}`).join('\n')
  const money = ['', '?before=20', '/settlements/1', '/settlements/2', '/settlements/20']
  const reports = ['/1', '/2', '/20', '/1/transactions-1.csv', '/1/transactions-1.xlsx']
  const files = ['/1/transactions-1.csv', '/1/transactions-40.csv', '/2/transactions-1.xlsx']
  const code = `points-of-sale/code/${codeOf(7)}`
  const year = query({ since: dayOf(now - 360 * dayMs) })
  return [
    ...['days=1', 'days=this_week', 'days=90', year].map((search) => `?${search}`),
    ...listQueries(log, now).map((search) => `payments?${search}`),
    ...searched(log).map((q) => `search?${query({ q })}`),
    ...['', 'status=refunded', 'status=fail', 'q=none'].map((search) => `payments.csv?${search}`),
    ...found.flatMap((tid) => [`payments/${tid}`, `payments/${tid}/events?at=none`]),
    ...['capture', 'release', 'renew', 'refund'].map((action) => `payments/${many}/${action}`),
    `payments/${tids['authorized']}/capture?amount=1`,
    ...money.map((more) => `money${more}`),
    ...reports.map((more) => `money/ledgers/default/reports${more}`),
    ...files.map((more) => `money/settlements${more}`),
    ...[code, `${code}/poster`, `${code}/labels?${query({ texts })}`],
    ...['', 'unaddressed', 'waiting', 'failed', 'delivered', 'abandoned'].map(
      (status) => `developers/callbacks?${query({ status, before: '' })}`,
    ),
    ...['developers?before=100', 'developers/callbacks?before=100000'],
    'developers/callbacks/00000000-0000-4000-8000-000000000000',
  ]
}

/** A rare part of an old order number, a common one, none, half a phone number, an amount. */
const searched = ({ payments, customers, tids }: PortalLog): string[] => [
  ...[`${Math.floor(payments / 2)}`, 'order-', 'none at all', 'order-0x', '4-none'],
  ...[customers[7] ?? '', customers[7]?.slice(-4) ?? '', customers[7]?.slice(2, 6) ?? ''],
  ...['100.00', '12345.67', tids['captured'] ?? '', 'table 41', 'till 29', 'user'],
]

const operatorsWorst = ({ tids }: PortalLog, now: number): string[] => {
  const found = ['q=shop', 'q=none', 'q=shop-9&state=disabled', 'state=waiting']
  const entries = ['', 'account=bank', 'account=payer_clearing', 'account=bank&merchant=sandbox']
  const days = [40, 200].map((back) => dayOf(now - back * dayMs))
  const logged = ['', 'type=key_rotated', 'merchant=none', 'actor=payer']
  return [
    ...found.map((search) => `merchants?${search}`),
    ...['due', 'ordered', 'paid', 'returned'].map((status) => `payouts?status=${status}`),
    ...['', ...days].map((day) => `journal?day=${day}`),
    ...[...entries, ...days.map((day) => `day=${day}`)].map(
      (search) => `journal/entries?${search}`,
    ),
    ...logged.map((search) => `security?${search}`),
    ...['sandbox/2', ...Object.values(tids)].map((subject) => `story?${query({ subject })}`),
    ...['events/1', 'events/1000000'],
  ]
}

/** Every address of the operator's pages, as in the tests, and the most expensive variants. */
const operatorAsks = (log: PortalLog, now: number): readonly PageAsk[] => {
  const looked = operatorTries.filter(({ method }) => method === 'GET').map(({ path }) => path)
  const paths = [...looked, ...operatorsWorst(log, now)]
  return paths.map((path) => ({ path: `/operator/${path}` }))
}

/**
 * Every address of the portal and the operator, as in the tests, and the most expensive variants.
 */
const portalAsks = (log: PortalLog, now: number): readonly PageAsk[] => {
  const { tids } = log
  const tid = tids['authorized'] ?? ''
  const filled = (path: string) =>
    `/portal/${shop}/${path.replace('TID', tid).replace('CODE', codeOf(1))}`
  const tried = portalTries.map(({ method, path, form = {} }) =>
    method === 'GET' ? { path: filled(path) } : { path: filled(path), form },
  )
  const others = ['/portal/', '/portal/sign-up', '/portal/style.css', '/portal/portal.js']
  return [
    ...others.map((path) => ({ path })),
    ...tried,
    ...worst(log, now).map((path) => ({ path: `/portal/${shop}/${path}` })),
    ...operatorAsks(log, now),
  ]
}

/** Somebody of the staff in the portal of a service. */
export const signIn = async <Service extends { readonly base: string; readonly pid: number }>(
  service: Service,
) => {
  const visitor = makeVisitor({ address: service.base })
  const signedIn = await visitor.signIn('alice')
  if (signedIn.status >= 400) throw new Error(`signing in: ${signedIn.status}`)
  const headers = {
    Accept: 'text/html,*/*;q=0.8',
    'Accept-Language': 'en',
    Cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  }
  return { ...service, visitor, headers }
}

/** The service on that log, with a signed-in member of the staff and of the operator. */
const startPortal = async (scope: Scope, DATA_DIR: string) => {
  const operator = (...words: readonly string[]) =>
    scope.command(DATA_DIR, '--json', 'operator', ...words)
  if ((JSON.parse(await operator('list')) as unknown[]).length === 0)
    await operator('add', '4799999901', '--role', 'admin')
  const portal = await signIn(await scope.service({ settings: { DATA_DIR } }))
  await untilIdle(portal.pid)
  return portal
}

type Portal = Awaited<ReturnType<typeof startPortal>>

/** A streamed response is measured until its first chunk. */
const isFirstPartEnough = (path: string): boolean => /events\?after|\.csv/.test(path)

const bytesOf = async (response: Response, path: string): Promise<number> => {
  if (!isFirstPartEnough(path)) return (await response.arrayBuffer()).byteLength
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return first?.value?.byteLength ?? 0
}

/** Requests one page at a time, so that the server's use of resources belongs to that page. */
export const askPage = async (
  { base, pid, headers }: Pick<Portal, 'base' | 'pid' | 'headers'>,
  csrf: string,
  { path, form }: PageAsk,
) => {
  const body = form && new URLSearchParams({ ...form, csrf })
  const init = { headers, redirect: 'manual', ...(body && { method: 'POST', body }) } as const
  const before = threadTimes(pid)
  const began = performance.now()
  const response = await fetch(base + path, init)
  const bytes = await bytesOf(response, path)
  const took = performance.now() - began
  return { status: response.status, bytes, took, used: usedSince(pid, before) }
}

/** Pages without an address in the bench; add new ones. */
const forgotten = async (base: string, asks: readonly PageAsk[]): Promise<string[]> => {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as { paths: object }
  const asked = asks.map(({ path }) => path.replace(/\?.*/, ''))
  return Object.entries(paths)
    .filter(([path, item]) => /^\/(portal|operator)\//.test(path) && 'get' in (item as object))
    .map(([path]) => path)
    .filter((path) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return !asked.some((one) => pattern.test(one))
    })
}

/** Of what somebody waits for: no files, and no streams, which end when something changes. */
const slowest = (what: string, took: ReadonlyMap<string, number>, those: RegExp): Figure => {
  const waited = [...took].filter(
    ([path]) => those.test(path) && !/events\?|\.(csv|xlsx)/.test(path),
  )
  const [path, value] = waited.reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0])
  const target = ['value', '≤', 100] as const
  return { what: `slowest ${what} of ${waited.length}`, value, unit: 'ms', target, more: path }
}

const portal: Case = {
  about:
    'Processor of all threads for each page of the portal and the operator, one at a time, ' +
    'beside the style sheet, and the longest waits; ONLY is a pattern of addresses. ' +
    'Size: payments; place: a folder for the log',
  usual: { rounds: 30, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 600 },
  open: async (shared) => {
    const log = await portalLog(shared)
    const service = await startPortal(shared, log.directory)
    const home = await service.visitor.visit('/portal/')
    const csrf = new Map(formIn(home.html, 'csrf').fields).get('csrf') ?? ''
    const only = new RegExp(process.env['ONLY'] ?? '')
    const asks = portalAsks(log, Date.now()).filter(({ path }) => only.test(path))
    const missing = await forgotten(service.base, asks)
    if (missing.length > 0) shared.say(`not asked: ${missing.join(', ')}`)
    for (const ask of asks) {
      const { status } = await askPage(service, csrf, ask)
      if (status >= 500 || status === 429) shared.say(`${status} ${ask.path}`)
    }
    return async () => {
      const sheet = await askPage(service, csrf, { path: '/portal/style.css' })
      const figures: Figure[] = []
      const waited = new Map<string, number>()
      for (const ask of asks) {
        const { status, bytes, took, used } = await askPage(service, csrf, ask)
        // What was made ahead of the reader ends, and counts for no other page.
        if (isFirstPartEnough(ask.path)) await pause(500)
        const what = `${ask.form ? 'POST ' : ''}\`${ask.path.slice(0, 90)}\``
        if (!ask.form) waited.set(ask.path, took)
        const more = `${status}, ${Math.ceil(bytes / 1024)} KiB, took ${took.toFixed(1)} ms`
        const target = ['value', '≤', 100] as const
        figures.push({ what, value: used, unit: 'ms', limit: sheet.used, target, more })
      }
      return [slowest('page', waited, /./), slowest('search', waited, /\?q=|search\?/), ...figures]
    }
  },
}

const pagesOf = ({ tids, customers }: PortalLog): readonly string[] => [
  ...['', '', '', 'payments', 'payments', 'payments?status=auth', 'payments?status=refunded'],
  ...[`payments?pos=${posOf(3)}`, `payments?q=${customers[3]}`, 'payments?sort=largest'],
  ...Object.values(tids).map((tid) => `payments/${tid}`),
  ...[`search?q=${customers[3]?.slice(-4)}`, 'search?q=order-1'],
  ...['money', 'money/settlements/1', 'money/ledgers/default/reports/2', 'points-of-sale'],
  ...[`points-of-sale/code/${codeOf(3)}`, 'developers/callbacks', 'messages', 'staff'],
]

/** People who each open another page every two to five seconds, and receive live updates. */
const startBrowsing = ({ base, headers }: Portal, log: PortalLog, people: number) => {
  const pages = pagesOf(log)
  const below = numbersFrom(11)
  const latencies: number[] = []
  const ending = new AbortController()
  let renewals = 0

  const look = async (path: string): Promise<string> => {
    const began = performance.now()
    const response = await fetch(`${base}/portal/${shop}/${path}`, { headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${path}`)
    latencies.push(performance.now() - began)
    return text
  }

  /** Like the page's script: fetches the page again on each event, until the person leaves it. */
  const follow = async (path: string, mark: string, until: number): Promise<void> => {
    let html = mark
    while (performance.now() < until && !ending.signal.aborted) {
      const [, events] = /<main[^>]* data-follow="([^"]*)"/.exec(html) ?? []
      if (events === undefined) return
      const left = AbortSignal.timeout(Math.ceil(Math.max(1, until - performance.now())))
      const signal = AbortSignal.any([left, ending.signal])
      try {
        const source = base + events.replaceAll('&amp;', '&')
        const stream = await fetch(source, { headers, signal })
        if (!(await stream.text()).includes('changed')) return
      } catch {
        return
      }
      html = await look(path)
      renewals += 1
      await pause(3_000)
    }
  }

  const browse = async (): Promise<void> => {
    await pause(below(3_000))
    while (!ending.signal.aborted) {
      const path = pages[below(pages.length)] ?? ''
      const until = performance.now() + 2_000 + below(3_000)
      await follow(path, await look(path), until)
      await pause(Math.max(0, until - performance.now()))
    }
  }

  const all = Array.from({ length: people }, browse)
  return {
    stop: async () => {
      ending.abort()
      await Promise.all(all)
      const sorted = latencies.toSorted((a, b) => a - b)
      const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)]
      return { pages: latencies.length, renewals, p50, p99 }
    },
  }
}

const browsing: Case = {
  about:
    '300 captures a second beside 50 people who browse the portal and yield to the service, as ' +
    'theirs are other machines; the limit is without them (Linux only). Size: payments of the log',
  usual: { rounds: 4, seconds: 15, size: 1_000_000 },
  quick: { rounds: 1, seconds: 3, size: 600 },
  open: async (shared) => {
    const log = await portalLog(shared)
    const service = await startPortal(shared, log.directory)
    const load = shared.load()
    execFileSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(process.pid)])
    const tids = await load.authorize(service.shop, shared.label(), 2_000)
    const captures = () => {
      const work = { kind: 'capture', level: 'SECRET', label: shared.label(), tids } as const
      return load.one(service.shop, shared.seconds, { work, connections: 32, pace: 300 })
    }
    let round = 0
    return async () => {
      const alone = async () => (await captures()).p99
      const isAloneFirst = round++ % 2 === 0
      const before = isAloneFirst ? await alone() : undefined
      const people = startBrowsing(service, log, 50)
      // By then everybody has opened a page.
      await pause(3_000)
      const { p99: value } = await captures()
      const { pages, renewals, p50, p99 } = await people.stop()
      const limit = before ?? (await alone())
      const times = `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`
      const more = `${pages} pages, of them ${renewals} live, ${times}`
      return [{ what: 'p99 of captures', value, unit: 'ms', limit, more }]
    }
  },
}

export const cases: Scenario = { portal, browsing }
