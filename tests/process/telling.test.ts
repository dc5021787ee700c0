import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCommand } from '../../harness/service-process.ts'
import { merchantClient, type MerchantClient } from '../../harness/merchant-client.ts'
import { paymentInput } from '../../harness/register-merchant.ts'
import { accept, authorize, capture, requestPayment, runCommand } from '../support/shop-process.ts'
import { newFolder } from '../../harness/in-process.ts'
import { nodeWarning } from '../../infrastructure/node-lines.ts'

const DATA_DIR = newFolder()

type Line = { readonly msg: string; readonly level: number } & Readonly<Record<string, unknown>>

const lines: Line[] = []

const sentence = 'a-secret-nobody-has'

let raw = ''

let child: ReturnType<typeof startCommand>

let address = ''

let till: MerchantClient

let world: MerchantClient

beforeAll(async () => {
  child = startCommand(['serve'], { DATA_DIR, LOG_LEVEL: 'info' }, 'pipe')
  createInterface({ input: child.stderr! }).on('line', (line) => {
    raw += line
    lines.push(JSON.parse(line) as Line)
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    address = /^listening on (.*)/.exec(line)?.[1] ?? ''
    if (address) break
  }
  till = merchantClient(address, { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' })
  world = merchantClient(address)
})

afterAll(() => {
  child.kill('SIGKILL')
  rmSync(DATA_DIR, { recursive: true })
})

/** The line with these members, once it is written. */
const untilLogged = async (wanted: Readonly<Record<string, unknown>>): Promise<Line> => {
  const isWanted = (line: Line) => Object.entries(wanted).every(([name, is]) => line[name] === is)
  while (!lines.some(isWanted)) await fetch(`${address}/health/live`)
  return lines.find(isWanted)!
}

const metrics = async (): Promise<string> => (await fetch(`${address}/metrics`)).text()

test('given a service that starts, then its log says what runs where on what', async () => {
  expect(await untilLogged({ msg: 'started' })).toMatchObject({
    level: 30,
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    mode: 'sandbox',
    log: `DATA_DIR="${DATA_DIR}"`,
    address,
  })
})

test('given a line of Node that has ended, then the log warns of it', async () => {
  await untilLogged({ msg: 'started' })
  const warning = nodeWarning(process.version, Date.now())
  const told = lines.filter(({ msg }) => /^Node \d/.test(msg)).map(({ level, msg }) => [level, msg])
  expect(told).toEqual(warning === undefined ? [] : [[40, warning]])
})

test('given a request with a wrong secret, when it is refused, then the log says why and who asked, under its id, and no secret', async () => {
  const headers = {
    'X-Service-Merchant': 'sandbox',
    'X-Service-User': 'pos1',
    Authorization: `SECRET ${sentence}`,
  }
  const { status, headers: answered } = await fetch(`${address}/merchant/v1/pos/?x=${sentence}`, {
    headers,
  })
  expect(status).toBe(401)
  const requestId = answered.get('x-request-id')
  expect(await untilLogged({ requestId })).toMatchObject({
    level: 30,
    msg: 'refused',
    method: 'GET',
    path: '/merchant/v1/pos/',
    status: 401,
    reason: 'Unknown user pos1, or wrong secret.',
    merchant: 'sandbox',
    user: 'pos1',
    address: '127.0.0.1',
  })
  expect(raw).not.toContain(sentence)
})

test('given a body whose fields are wrong, then the log names the fields and not what was sent', async () => {
  const { status } = await till('POST', '/merchant/v1/pos/', { id: sentence, type: 7, name: 8 })
  expect(status).toBe(400)
  const line = await untilLogged({ msg: 'refused', status: 400 })
  expect(line['reason']).toMatch(/^wrong fields: .*name/)
  expect(raw).not.toContain(sentence)
})

test('given what a rule refuses, then the log names the rule, not what was sent', async () => {
  const wish = paymentInput({ text: sentence, ledger: 'unknown' })
  const { status, headers } = await till('POST', '/merchant/v1/payment_request/', wish)
  expect(status).toBe(400)
  const requestId = headers.get('x-request-id')
  expect(await untilLogged({ requestId })).toMatchObject({ reason: 'ledger_is_unknown' })
  expect(raw).not.toContain(sentence)
})

test('given a request with effects, then its id finds them in the event log', async () => {
  const tid = await authorize({ till, world })
  const answered = await fetch(`${address}/merchant/v1/payment_request/${tid}/`, {
    method: 'PUT',
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Merchant': 'sandbox',
      'X-Service-User': 'pos1',
      Authorization: 'SECRET sandbox-secret',
    },
    body: JSON.stringify({ action: 'capture' }),
  })
  const requestId = answered.headers.get('x-request-id') ?? ''
  const { output } = await runCommand({ DATA_DIR }, 'audit', 'events', '--request', requestId)
  const events = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(events.map(({ type }) => type)).toEqual(['PaymentCaptured'])
})

test('given a callback that is not delivered, then the log says so, without the address that may hold a token', async () => {
  const callback_uri = `http://127.0.0.1:1/${sentence}`
  await world('POST', '/sandbox/v1/callback/', { callback_uri })
  expect(await untilLogged({ msg: 'a callback was not delivered' })).toMatchObject({
    level: 30,
    event: 'test_event',
    host: '127.0.0.1:1',
    problem: expect.stringContaining('nobody listens'),
  })
  expect(raw).not.toContain(sentence)
})

test('given payments that come to different ends, then the metrics count them', async () => {
  const count = async (line: string): Promise<number> =>
    Number(new RegExp(`^daybook_${line} (\\d+)$`, 'm').exec(await metrics())?.[1])
  const named = [
    'payments_total{outcome="authorized"}',
    'payments_total{outcome="declined"}',
    'payments_total{outcome="aborted"}',
    'captures_total',
    'refunds_total',
  ].map((line) => line.replaceAll(/[{}]/g, '\\$&'))
  const counts = () => Promise.all(named.map(count))
  const before = await counts()
  const tid = await authorize({ till, world })
  await capture(till, tid, 'a', '10.00')
  await capture(till, tid, 'a', '10.00')
  await world('POST', `/sandbox/v1/payment_request/${await requestPayment(till)}/decline/`)
  const aborted = await requestPayment(till)
  await till('PUT', `/merchant/v1/payment_request/${aborted}/`, { action: 'abort' })
  await accept(world, await requestPayment(till))
  const after = await counts()
  expect(after.map((now, index) => now - (before[index] ?? NaN))).toEqual([2, 1, 1, 1, 0])
})

test('given the metrics, then they say what was built, and no gauge has the name of a counter', async () => {
  const text = await metrics()
  expect(text).toMatch(
    /^daybook_build_info\{version="\d+\.\d+\.\d+",node="v\d+[^"]*",mode="sandbox"\} 1$/m,
  )
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  expect(types.length).toBeGreaterThan(20)
  const wrong = types.filter(
    ([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'),
  )
  expect(wrong).toEqual([])
})

const promtool = spawnSync('promtool', ['--version'])

test.skipIf(promtool.error)('given the metrics, then promtool finds nothing wrong', async () => {
  const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
    input: await metrics(),
    encoding: 'utf8',
  })
  expect([stdout, stderr, status]).toEqual(['', '', 0])
})

test('given a stopping service, then its last log line says so', async () => {
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGTERM')
  await ended
  expect(lines.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped'])
})
