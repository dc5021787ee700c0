import { getTableColumns, getTableName } from 'drizzle-orm'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { merchants } from '../domain/aggregates.ts'
import { newMerchant } from '../domain/merchant/merchant.ts'
import { merchantClient } from '../harness/merchant-client.ts'
import { readSettings } from '../infrastructure/settings.ts'
import Database from '../infrastructure/sqlite.ts'
import { currentReadModels, openStore } from '../infrastructure/stores.ts'
import { projections } from '../projections/read-models.ts'
import { openAccounting } from '../service/reports-and-settlements.ts'
import { openCore } from '../service/core.ts'
import { makeAuditedLog, seed } from './histories.ts'
import { memoryOf, type Load } from './processes.ts'
import { secondsSince, type Case, type Figure, type Scenario, type Scope } from './scope.ts'
import { size } from './size.ts'

/** Fills a log, and folds it into new read models with the operator's command. */
const seedAndRebuild = async ({ command }: Scope, DATA_DIR: string, events: number) => {
  const store = await openStore(readSettings({ DATA_DIR }))
  await seed(store, events)
  await store.close()
  const printed = await command(DATA_DIR, 'rebuild')
  return Number(/^events_per_second: (.+)$/m.exec(printed)?.[1])
}

const rebuild: Case = {
  about: 'Folding all read models anew. Size: events',
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 20_000 },
  open: () => async (scope) => {
    const value = await seedAndRebuild(scope, scope.folder(), scope.size)
    return [{ what: 'rebuild', value, unit: 'events/s', target: ['value', '≥', 60_000] }]
  },
}

/**
 * Samples the memory of a process. SQLite's sorter also maps its files; those pages belong to the
 * kernel, which can reclaim them: `RssAnon` is without them.
 */
const watchMemory = ({ later }: Scope, pid: number, name: 'RssAnon' | 'VmHWM') => {
  let most = memoryOf(pid, name)
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid, name))), 50)
  later(() => clearInterval(timer))
  return () => most
}

const verify: Case = {
  about: '`audit verify`. Size: events',
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 5_000 },
  open: async (shared) => {
    const DATA_DIR = await makeAuditedLog(shared.size, shared.say)
    shared.later(() => rmSync(DATA_DIR, { recursive: true }))
    return async (scope) => {
      const began = performance.now()
      const words = ['--max-semi-space-size=64', scope.program, 'audit', 'verify']
      const env = { ...process.env, DATA_DIR }
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const most = watchMemory(scope, child.pid ?? 0, 'VmHWM')
      const [code] = (await once(child, 'exit')) as [number]
      if (code !== 0) throw new Error(`audit verify ended with ${code}`)
      return [
        { what: 'time', value: secondsSince(began), unit: 's' },
        { what: 'most memory', value: most(), unit: 'MB' },
      ]
    }
  },
}

/** Reads a log from the service: the number of lines, and the seconds it took. */
const download = async (url: string): Promise<number> => {
  const { body } = await fetch(url)
  let lines = -1
  for await (const chunk of body ?? [])
    for (const byte of chunk as Uint8Array) if (byte === 10) lines += 1
  return lines
}

/** Captures of a service, as a report of many lines is closed. */
const capturing = async (scope: Scope, shop: Parameters<Load['one']>[0]) => {
  const load = scope.load()
  const tids = await load.authorize(shop, scope.label(), 2_000)
  return async (): Promise<number> => {
    const work = { kind: 'capture', level: 'SECRET', label: scope.label(), tids } as const
    const group = { work, connections: 16, pace: 200 }
    return (await load.one(shop, scope.seconds, group, 0)).p99
  }
}

/** As many windows as about fit into the closing; the worst one counts on both sides. */
const windows = 4

const closeReport = async (scope: Scope): Promise<Figure[]> => {
  const DATA_DIR = scope.folder()
  await seedAndRebuild(scope, DATA_DIR, scope.size)
  const { base, pid, shop } = await scope.service({ settings: { DATA_DIR } })
  const most = watchMemory(scope, pid, 'RssAnon')
  const user = { merchant: 'sandbox', user: 'pos1', secret: 'sandbox-secret' }
  const till = merchantClient(base, user)
  // First settles what became due in the meantime.
  await merchantClient(base)('POST', '/sandbox/v1/clock/', { advance_seconds: 0 })
  const capture = await capturing(scope, shop)
  await capture()
  const before: number[] = []
  while (before.length < windows) before.push(await capture())
  const limit = Math.max(...before)
  const memoryBefore = most()
  const path = '/merchant/v1/ledger/default/report/1/'
  const began = performance.now()
  await till('PUT', path, {})
  let closed: number | undefined
  const watching = (async () => {
    while ((await till('GET', path)).body.status !== 'closed') await pause(100)
    closed = secondsSince(began)
  })()
  const meanwhile: number[] = []
  while (closed === undefined) meanwhile.push(await capture())
  await watching
  const started = performance.now()
  let lines = 0
  for (const uri of (await till('GET', path)).body.transaction_log_uris)
    lines += await download(base + uri)
  const perSecond = lines / secondsSince(started)
  const p99 = { what: 'p99 of 200 captures/s while it closes', value: Math.max(...meanwhile) }
  return [
    { what: 'closing a report', value: closed, unit: 's', target: ['value', '≤', 60] },
    {
      what: 'its log, streamed',
      value: perSecond,
      unit: 'lines/s',
      target: ['value', '≥', 50_000],
    },
    {
      what: 'most memory',
      value: most(),
      unit: 'MB',
      limit: memoryBefore,
      target: ['value', '≤', 300],
    },
    { ...p99, unit: 'ms', limit, target: ['ratio', '≤', 2] },
  ]
}

const report: Case = {
  about: 'Closing a report during captures, beside captures before. Size: events of its log',
  usual: { rounds: 1, seconds: 5, size: 1_000_000 },
  quick: { rounds: 1, seconds: 1, size: 20_000 },
  open: () => closeReport,
}

/** Some 100,000 captures in 300,000 events: a payment has 4.2 events and 1.4 captures. */
const settlement: Case = {
  about: 'Settling 1,000 merchants at once, as the operator does. Size: events',
  usual: { rounds: 1, seconds: 0, size: 300_000 },
  quick: { rounds: 1, seconds: 0, size: 6_000 },
  isOfThisCheckout: true,
  open: () => async (scope) => {
    const settings = readSettings({ DATA_DIR: scope.folder() })
    const core = await openCore(settings, pino({ level: 'error' }))
    scope.later(() => core.close())
    const shopOf = (count: number): string => `shop-${count % 1_000}`
    for (let count = 0; count < 1_000; count++) {
      const id = shopOf(count)
      const known = { id, businessName: id, currency: 'NOK', lookupIds: [], netmask: null }
      const data = newMerchant(known)
      await core.handle(merchants, id, { type: 'Register', data }, core.contextOf('bench', id))
    }
    await seed(core.store, scope.size, shopOf)
    await core.readModels.caughtUp()
    const accounting = openAccounting(core)
    scope.later(() => accounting.close())
    const began = performance.now()
    await accounting.settleNow(core.now(), core.contextOf('operator'))
    const value = secondsSince(began)
    const { settlements, journal } = core.accounting
    const isBalanced = journal.trialBalance().every(({ imbalance }) => imbalance === '0')
    if (settlements.unfinishedCount() > 0 || !isBalanced)
      throw new Error('not all was settled, or the journal is off')
    return [{ what: 'settling', value, unit: 's', target: ['value', '≤', 30] }]
  },
}

/** Multiplies the rows, as if the log were that many times as long. */
const multiply = (path: string, copies: number): void => {
  const file = new Database(path)
  file.pragma('synchronous = OFF')
  file.pragma('cache_size = -262144')
  for (const { table, key } of projections) {
    const name = getTableName(table)
    const rows = Number(file.prepare(`SELECT count(*) FROM "${name}"`).pluck().get())
    // Small tables do not grow with the log.
    if (rows < 100) continue
    const columns = Object.values(getTableColumns(table)).map((column) => column.name)
    const isText = key.dataType === 'string'
    const again = columns.map((column) => {
      if (column !== key.name) return `"${column}"`
      return isText ? `"${column}" || '/' || ?` : `"${column}" + ? * 1000000000`
    })
    const listed = columns.map((column) => `"${column}"`).join(', ')
    if (!columns.includes(key.name)) throw new Error(`${name} has no column ${key.name}`)
    file.exec(`CREATE TEMP TABLE seed AS SELECT * FROM "${name}"`)
    const insert = file.prepare(
      `INSERT OR IGNORE INTO "${name}" (${listed}) SELECT ${again.join(', ')} FROM seed`,
    )
    file.transaction(() => {
      for (let copy = 1; copy < copies; copy += 1) insert.run(copy)
    })()
    file.exec('DROP TABLE seed')
  }
  file.pragma('wal_checkpoint(TRUNCATE)')
  file.close()
}

/** Events of the log; their rows are copied under other keys: for a snapshot only size matters. */
const made = 20_000

const SNAPSHOT_TOKEN = 'a token of the bench'

const startNode = async ({ service }: Scope, settings: Readonly<Record<string, string>>) => {
  const started = await service({ settings: { METRICS_PORT: '0', ...settings } })
  while (!(await fetch(`${started.base}/health/ready`)).ok) await pause(50)
}

const snapshot: Case = {
  about: 'How soon a new node is ready with the read models of another. Size: events',
  usual: { rounds: 1, seconds: 0, size: 1_000_000 },
  quick: { rounds: 1, seconds: 0, size: 40_000 },
  open: () => async (scope) => {
    const original = await makeAuditedLog(made, scope.say)
    scope.later(() => rmSync(original, { recursive: true }))
    const path = currentReadModels({ DATA_DIR: original }) ?? ''
    multiply(path, Math.max(1, Math.round(scope.size / made)))
    const { size } = statSync(path)
    // The operator's address has a fixed port.
    const METRICS_PORT = String(20_000 + (process.pid % 20_000))
    await startNode(scope, { DATA_DIR: original, SNAPSHOT_TOKEN, METRICS_PORT })
    const fresh = join(scope.folder(), 'node')
    const isOfLog = (source: string): boolean => !source.includes('read-models')
    cpSync(original, fresh, { recursive: true, filter: isOfLog })
    const began = performance.now()
    const SNAPSHOT_FROM = `http://127.0.0.1:${METRICS_PORT}`
    await startNode(scope, { DATA_DIR: fresh, SNAPSHOT_TOKEN, SNAPSHOT_FROM })
    const value = secondsSince(began)
    const handedOver = statSync(currentReadModels({ DATA_DIR: fresh }) ?? '').size
    if (handedOver < size) throw new Error('the new node has folded the log instead')
    const megabytes = handedOver / 1e6
    return [
      { what: 'ready', value, unit: 's' },
      { what: 'read models', value: megabytes, unit: 'MB' },
    ]
  },
}

export const cases: Scenario = { rebuild, verify, report, settlement, snapshot, size }
