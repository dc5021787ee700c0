import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { merchants } from '../domain/aggregates.ts'
import { merchantClient } from '../harness/merchant-client.ts'
import { newMerchant } from '../domain/merchant/merchant.ts'
import { openAccounting } from '../service/accounting.ts'
import { openCore } from '../service/core.ts'
import { readSettings } from '../infrastructure/settings.ts'
import { seed } from './histories.ts'
import { startLoad, startServer } from './processes.ts'
import { measureRebuild } from './rebuild.ts'

const isQuick = process.argv.includes('--quick')
const linesOfReport = isQuick ? 20_000 : 1_000_000
const shops = isQuick ? 50 : 1_000
/** Some 100,000 captures: a generated payment has 4.2 events and 1.4 captures on average. */
const eventsSettled = isQuick ? 6_000 : 300_000
const capturesPerSecond = 200
const secondsOfWindow = isQuick ? 1 : 5
/** About as many as fit into the closing of the report; the worst one counts on both sides. */
const windows = isQuick ? 1 : 4

const say = (text: string): void => void process.stderr.write(`${text}\n`)
const whole = (value: number): string => Math.round(value).toLocaleString('en')
const secondsSince = (began: number): number => (performance.now() - began) / 1000

/**
 * Samples the private memory of a process, in megabytes (Linux only). SQLite's sorter also maps its
 * files; those pages belong to the kernel, which can reclaim them.
 */
const watchMemory = (pid: number) => {
  const megabytes = (): number => {
    const [, kilobytes] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes) / 1024
  }
  let most = megabytes()
  const timer = setInterval(() => (most = Math.max(most, megabytes())), 50)
  return {
    /** The maximum so far. */
    most: () => most,
    stop: () => clearInterval(timer),
  }
}

/** Reads a log from the service: the number of lines, and the seconds it took. */
const download = async (url: string): Promise<number> => {
  const { body } = await fetch(url)
  let lines = -1
  for await (const chunk of body ?? [])
    for (const byte of chunk as Uint8Array) if (byte === 10) lines += 1
  return lines
}

/** Closes a report with this many lines during captures, and reads its log. */
const measureReport = async (directory: string) => {
  say('a log to report')
  await measureRebuild(directory, linesOfReport)
  const environment = { DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', MODE: 'sandbox' }
  const service = await startServer('../dist/service/main.js', ['serve'], environment)
  const load = startLoad()
  const memory = watchMemory(service.pid)
  try {
    const { host, port } = service.address
    const base = `http://${host}:${port}`
    const till = merchantClient(base, {
      merchant: 'sandbox',
      user: 'pos1',
      secret: 'sandbox-secret',
    })
    // First settles what became due in the meantime.
    await merchantClient(base)('POST', '/sandbox/v1/clock/', { advance_seconds: 0 })
    const adminKey = readFileSync(join(directory, 'sandbox-admin-key.pem'), 'utf8')
    const shop = { address: service.address, adminKey }
    const tids = await load.authorize(shop, 'accounting', 2_000)
    const capturing = async (label: string): Promise<number> => {
      const work = { kind: 'capture', level: 'SECRET', label, tids } as const
      const groups = [{ work, connections: 16, pace: capturesPerSecond }]
      const loaded = await load.load({ shop, warmUp: 0, seconds: secondsOfWindow, groups })
      const [measured] = loaded.groups
      if (!measured || measured.unexpected > 0) throw new Error(measured?.firstUnexpected)
      return measured.p99
    }
    await capturing('warm')
    const before: number[] = []
    while (before.length < windows) before.push(await capturing(`before-${before.length}`))
    const usual = Math.max(...before)
    const megabytesBefore = memory.most()
    say('closing')
    const path = '/merchant/v1/ledger/default/report/1/'
    const began = performance.now()
    await till('PUT', path, {})
    let closed: number | undefined
    const watching = (async () => {
      while ((await till('GET', path)).body.status !== 'closed')
        await new Promise((resolve) => setTimeout(resolve, 100))
      closed = secondsSince(began)
    })()
    const meanwhile: number[] = []
    while (closed === undefined) meanwhile.push(await capturing(`closing-${meanwhile.length}`))
    await watching
    say(`reading; at most ${whole(memory.most())} MB so far`)
    const report = (await till('GET', path)).body
    const started = performance.now()
    let lines = 0
    for (const uri of report.transaction_log_uris) lines += await download(base + uri)
    const reading = secondsSince(started)
    const megabytes = memory.most()
    const worst = Math.max(...meanwhile)
    return { lines, closed, reading, usual, meanwhile: worst, megabytesBefore, megabytes }
  } finally {
    memory.stop()
    await load.stop()
    await service.stop()
  }
}

/** Settles many merchants at once, with the operator's command. */
const measureSettlement = async (directory: string) => {
  say('settlements')
  const settings = readSettings({ DATA_DIR: directory })
  const core = await openCore(settings, pino({ level: 'error' }))
  const shopOf = (count: number): string => `shop-${count % shops}`
  for (let count = 0; count < shops; count++) {
    const id = shopOf(count)
    const known = { id, businessName: id, currency: 'NOK', lookupIds: [], netmask: null }
    const data = newMerchant(known)
    await core.handle(merchants, id, { type: 'Register', data }, core.contextOf('bench', id))
  }
  await seed(core.store, eventsSettled, shopOf)
  await core.readModels.caughtUp()
  const accounting = openAccounting(core)
  const began = performance.now()
  await accounting.settleNow(core.now(), core.contextOf('operator'))
  const seconds = secondsSince(began)
  const made = core.accounting.settlements.unfinishedCount() === 0
  const balances = core.accounting.journal
    .trialBalance()
    .every(({ imbalance }) => imbalance === '0')
  if (!made || !balances) throw new Error('not all was settled, or the journal is off')
  await accounting.close()
  await core.close()
  return seconds
}

const directory = mkdtempSync(join(tmpdir(), 'daybook-accounting-'))
try {
  const settling = await measureSettlement(join(directory, 'settlements'))
  const figures = await measureReport(join(directory, 'report'))
  const { lines, closed, reading, usual, meanwhile, megabytesBefore, megabytes } = figures
  const rows = [
    [`closing a report of ${whole(lines)} lines`, `${closed.toFixed(1)} s`, '< 60 s'],
    ['its log, streamed', `${whole(lines / reading)} lines/s`, '> 50,000 lines/s'],
    [
      `most memory of the service (${whole(megabytesBefore)} MB before)`,
      `${whole(megabytes)} MB`,
      '< 300 MB',
    ],
    [
      `p99 of ${capturesPerSecond} captures/s while it closes (${usual.toFixed(1)} ms before)`,
      `${meanwhile.toFixed(1)} ms`,
      `≤ ${(2 * usual).toFixed(1)} ms`,
    ],
    [
      `settling ${whole(eventsSettled / 3)} captures of ${whole(shops)} merchants`,
      `${settling.toFixed(1)} s`,
      '< 30 s',
    ],
  ]
  const text = ['| | figure | target |', '| --- | --- | --- |']
    .concat(rows.map((cells) => `| ${cells.join(' | ')} |`))
    .join('\n')
  process.stdout.write(`${text}\n`)
  const title = '# Bench of the accounting\n\nRepeat it with `npm run bench:accounting`.\n\n'
  if (!isQuick)
    writeFileSync(new URL('accounting-results.md', import.meta.url), `${title}${text}\n`)
} finally {
  rmSync(directory, { recursive: true, force: true })
}
