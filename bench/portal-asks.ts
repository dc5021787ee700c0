import { dayMs } from '../domain/time.ts'
import { operatorTries } from '../tests/operator/operator-tries.ts'
import { portalTries } from '../tests/portal/portal-tries.ts'
import type { PortalLog } from './portal-log.ts'
import { codeOf, posOf, shop } from './portal-merchants.ts'

/** A request for a page; forms are those that change nothing. */
export type PageAsk = {
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

/** Addresses of the most expensive pages. */
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
    ...['days=1', 'days=this_week', 'days=90', year].map((asked) => `?${asked}`),
    ...listQueries(log, now).map((asked) => `payments?${asked}`),
    ...['', 'status=refunded', 'status=fail', 'q=none'].map((asked) => `payments.csv?${asked}`),
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

/** Addresses of the operator's most expensive pages. */
const operatorsWorst = ({ tids }: PortalLog, now: number): string[] => {
  const found = ['q=shop', 'q=none', 'q=shop-9&state=disabled', 'state=waiting']
  const entries = ['', 'account=bank', 'account=payer_clearing', 'account=bank&merchant=sandbox']
  const days = [40, 200].map((back) => dayOf(now - back * dayMs))
  const logged = ['', 'type=key_rotated', 'merchant=none', 'actor=payer']
  return [
    ...found.map((asked) => `merchants?${asked}`),
    ...['due', 'ordered', 'paid', 'returned'].map((status) => `payouts?status=${status}`),
    ...['', ...days].map((day) => `journal?day=${day}`),
    ...[...entries, ...days.map((day) => `day=${day}`)].map((asked) => `journal/entries?${asked}`),
    ...logged.map((asked) => `security?${asked}`),
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
export const portalAsks = (log: PortalLog, now: number): readonly PageAsk[] => {
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
