import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openCore } from '../infrastructure/core.ts'
import { makeLog } from '../infrastructure/log.ts'
import { makeSandboxData } from '../infrastructure/sandbox-data.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { seedPayments } from './seed-payments.ts'

/** Closes a report of many lines while captures go on, and downloads its logs. `tsx bench/reports.ts [lines]` */
const lines = Number(process.argv[2] ?? 1_000_000)
const directory = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
const say = (text: string) => process.stdout.write(`${text}\n`)
const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(2)

const seed = async (): Promise<void> => {
  const settings = readSettings({ DATA_DIR: directory })
  const core = await openCore(settings, makeLog('error'))
  await makeSandboxData(core, directory)
  const from = performance.now()
  await seedPayments(core.store, core.now(), Math.ceil(lines / 3), () => 'sandbox')
  say(`seeded ${lines} lines in ${seconds(from)} s`)
  const folding = performance.now()
  await core.readModels.ready()
  say(`read models caught up ${seconds(folding)} s after that`)
  await core.close()
}

const start = async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', 'infrastructure/main.ts', 'serve'], {
    env: { ...process.env, MODE: 'sandbox', DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^listening on (.*)/.exec(line)?.[1]
    if (address !== undefined) return { child, address }
  }
  throw new Error('the service did not start')
}

const memoryOf = (pid: number | undefined, name: 'VmRSS' | 'VmHWM'): string => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return `${Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)} MB`
}

const percentile = (times: number[], part: number): string =>
  `${times.sort((a, b) => a - b)[Math.floor(times.length * part)]?.toFixed(1)} ms`

await seed()
const { child, address } = await start()
const headers = {
  'X-Service-Merchant': 'sandbox',
  'X-Service-User': 'pos1',
  Authorization: 'SECRET sandbox-secret',
  'Content-Type': 'application/json',
}
const ask = async (method: string, path: string, json?: object) => {
  const body = json && JSON.stringify(json)
  const response = await fetch(address + path, { method, headers, ...(body && { body }) })
  if (response.status >= 400)
    throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.status === 204 ? undefined : ((await response.json()) as never)
}

let count = 0
const authorize = async (): Promise<string> => {
  const request = {
    pos_id: 'till-1',
    pos_tid: `b-${(count += 1)}`,
    action: 'auth',
    currency: 'NOK',
  }
  const about = { amount: '100.00', customer: '4799999901', allow_credit: true }
  const { id } = (await ask('POST', '/merchant/v1/payment_request/', {
    ...request,
    ...about,
  })) as unknown as { id: string }
  await ask('POST', `/sandbox/v1/payment_request/${id}/accept/`, {})
  return id
}

/** Captures payments, eight at once, until told to stop; answers how long each took. */
const capture = async (tids: string[], goOn: () => boolean): Promise<number[]> => {
  const times: number[] = []
  const worker = async () => {
    for (let tid = tids.pop(); tid !== undefined && goOn(); tid = tids.pop()) {
      const from = performance.now()
      await ask('PUT', `/merchant/v1/payment_request/${tid}/`, { action: 'capture' })
      times.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return times
}

const authorized: string[] = []
for (let batch = 0; batch < 60; batch++)
  authorized.push(...(await Promise.all(Array.from({ length: 200 }, authorize))))
await capture(authorized.splice(0, 500), () => true)
const usual = await capture(authorized.splice(0, 2_500), () => true)
say(
  `usual: ${usual.length} captures, p50 ${percentile(usual, 0.5)}, p99 ${percentile(usual, 0.99)}`,
)
say(`memory before: ${memoryOf(child.pid, 'VmRSS')}`)

const path = '/merchant/v1/ledger/default/report/1/'
const closing = performance.now()
await ask('PUT', path, {})
let isClosed = false
const captures = capture(authorized, () => !isClosed)
type Report = { status: string; transaction_log_uris: string[]; payment_capture_count: number }
let report: Report
do {
  await new Promise((resolve) => setTimeout(resolve, 100))
  report = (await ask('GET', path)) as unknown as Report
} while (report.status !== 'closed')
isClosed = true
const took = seconds(closing)
const meanwhile = await captures
say(
  `closed ${report.payment_capture_count} captures' report in ${took} s, ${report.transaction_log_uris.length} files`,
)
say(
  `meanwhile: ${meanwhile.length} captures, p50 ${percentile(meanwhile, 0.5)}, p99 ${percentile(meanwhile, 0.99)}`,
)
say(`memory, highest so far: ${memoryOf(child.pid, 'VmHWM')}`)

const reading = performance.now()
let bytes = 0
let read = 0
for (const uri of report.transaction_log_uris) {
  const response = await fetch(address + uri)
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk as Uint8Array) if (byte === 10) read += 1
  }
}
const readFor = (performance.now() - reading) / 1000
say(
  `downloaded ${read} lines, ${(bytes / 1e6).toFixed(0)} MB in ${readFor.toFixed(2)} s: ${Math.round(read / readFor)} lines/s`,
)
say(`memory, highest: ${memoryOf(child.pid, 'VmHWM')}`)
child.kill('SIGTERM')
await once(child, 'exit')
rmSync(directory, { recursive: true })
