import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openConnection } from './connection.ts'
import { startLoad, startServer } from './processes.ts'
import { requestsOf } from './requests.ts'
import type { Work } from './work.ts'

/*
 * Captures beside 128 connections that ask what anybody may ask, and beside 8 that send large
 * bodies, in turns with as many on /health/live: `npm run bench:strangers -- <rounds> <seconds>`.
 */

const [rounds = 3, seconds = 5] = process.argv.slice(2, 4).map(Number)
const [checkout = fileURLToPath(new URL('..', import.meta.url))] = process.argv.slice(4)
const captureConnections = 8
const pace = 100
const payments = 2_000

const item = { product_id: 'p', description: 'Thing', quantity: '1', item_cost: '1', total: '1' }
const lineItems = JSON.stringify({
  ...{ pos_id: 'till-1', pos_tid: 'many items {seven}', action: 'auth', allow_credit: false },
  ...{ currency: 'NOK', amount: '1000.00', customer: '4799999901', text: 'Many things' },
  line_items: Array.from({ length: 1_000 }, () => item),
})
const manyKeys = JSON.stringify(
  Object.fromEntries(Array.from({ length: 15_900 }, (_, count) => [`key ${count}`, 'a'])),
)
const list = '/merchant/v1/payment_request/'

const get = (path: string): Work => ({ kind: 'get', path })
const post = (body: string, status: number): Work => ({ kind: 'post', path: list, body, status })

const DATA_DIR = mkdtempSync(join(tmpdir(), 'daybook-strangers-'))
const environment = { DATA_DIR, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox', LOG_LEVEL: 'error' }
const program = join(checkout, 'dist/service/main.js')
const service = await startServer(program, ['serve'], environment)
const adminKey = readFileSync(join(DATA_DIR, 'sandbox-admin-key.pem'), 'utf8')
const shop = { address: service.address, adminKey }
const connection = await openConnection(shop.address)
const { body } = await connection.ask(
  requestsOf(shop).secret('POST', '/merchant/v1/shortlink/', '{"description":"bench"}'),
)
const { id: shortlink } = JSON.parse(body) as { id: string }
// The first checkpoint is signed after ten seconds.
await delay(11_000)

const asked: Readonly<Record<string, readonly [Work, connections: number]>> = {
  '/health/live': [get('/health/live'), 128],
  search: [get('/docs?q=payment+{n}'), 128],
  'page with ids': [get('/docs/signing?merchant=m{n}'), 128],
  'openapi.json': [get('/openapi.json'), 128],
  'QR image': [get(`/shortlink/v1/qr_image/${shortlink}/{n}`), 128],
  checkpoint: [get('/transparency/checkpoint'), 128],
  proof: [get('/transparency/proof/inclusion?index=1'), 128],
  discovery: [get('/.well-known/openid-configuration'), 128],
  'sign-in page': [get('/payer/sign-in'), 128],
  '8 × 1,000 line items': [post(lineItems, 201), 8],
  '8 × 15,900 keys': [post(manyKeys, 400), 8],
}

const ofCaptures = startLoad()
const ofOthers = startLoad()
const found = new Map<string, { p50: number; p99: number; others: number }[]>()
try {
  for (let round = 0; round < rounds; round++)
    for (const [name, [work, connections]] of Object.entries(asked)) {
      const label = `s${round}-${Date.now()}`
      const tids = await ofCaptures.authorize(shop, label, payments)
      const capture = { kind: 'capture', level: 'SECRET', label, tids } as const
      const window = { shop, warmUp: 1, seconds }
      const [measured, beside] = await Promise.all([
        ofCaptures.load({
          ...window,
          groups: [{ work: capture, connections: captureConnections, pace }],
        }),
        ofOthers.load({ ...window, groups: [{ work, connections }] }),
      ])
      const [captures] = measured.groups
      const [others] = beside.groups
      const problem = captures?.firstUnexpected ?? others?.firstUnexpected
      if (!captures || !others || problem !== undefined) throw new Error(`${name}: ${problem}`)
      const { p50, p99 } = captures
      found.set(name, [...(found.get(name) ?? []), { p50, p99, others: others.perSecond }])
    }
} finally {
  await ofCaptures.stop()
  await ofOthers.stop()
  connection.close()
  await service.stop()
  rmSync(DATA_DIR, { recursive: true, force: true })
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

process.stdout.write(`${pace} captures/s beside others; medians of ${rounds} rounds, ms\n`)
process.stdout.write('| beside | p50 | p99 | to /health/live | others/s |\n|---|---|---|---|---|\n')
const reference = median((found.get('/health/live') ?? []).map(({ p99 }) => p99))
for (const [name, all] of found) {
  const [p50, p99, others] = (['p50', 'p99', 'others'] as const).map((of) =>
    median(all.map((one) => one[of])),
  ) as [number, number, number]
  const cells = [name, p50.toFixed(1), p99.toFixed(1), (p99 / reference).toFixed(2)]
  process.stdout.write(`| ${[...cells, Math.round(others)].join(' | ')} |\n`)
}
