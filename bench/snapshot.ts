// How soon a new node is ready with the read models of another: `npm run bench:snapshot`. The log
// has 20,000 events. Their rows are copied under other keys until there are as many as for the
// requested number of events: for a snapshot only the size matters.
import { getTableColumns, getTableName } from 'drizzle-orm'
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { projections } from '../projections/read-models.ts'
import Database from '../infrastructure/sqlite.ts'
import { currentReadModels } from '../infrastructure/stores.ts'
import { startServer } from './processes.ts'
import { makeAuditedLog } from './audited-log.ts'

const made = 20_000
const [events = 1_000_000] = process.argv.slice(2).map(Number)
const copies = Math.max(1, Math.round(events / made))
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const program = '../dist/service/main.js'
const SNAPSHOT_TOKEN = 'a token of the bench'
const usual = {
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  MODE: 'sandbox',
  LOG_LEVEL: 'warn',
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1)

/** Multiplies the rows, as if the log were that many times as long. */
const multiply = (path: string): void => {
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

const isReady = async (address: { host: string; port: number }): Promise<boolean> =>
  (await fetch(`http://${address.host}:${address.port}/health/ready`)).ok

const start = async (DATA_DIR: string, more: Readonly<Record<string, string>>) => {
  const service = await startServer(program, ['serve'], { ...usual, DATA_DIR, ...more })
  while (!(await isReady(service.address))) await pause(50)
  return service
}

/** The operator's address has a fixed port. */
const operatorPort = String(20_000 + (process.pid % 20_000))

const original = await makeAuditedLog(made, say)
const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-snapshot-'))
try {
  let began = performance.now()
  const path = currentReadModels({ DATA_DIR: original }) ?? ''
  const before = statSync(path).size
  multiply(path)
  const { size } = statSync(path)
  say(
    `${made * copies} events: read models of ${(size / 1e6).toFixed(0)} MB ` +
      `(${(before / 1e6).toFixed(0)} MB of ${made}), made in ${secondsSince(began)} s`,
  )
  const node = await start(original, { SNAPSHOT_TOKEN, METRICS_PORT: operatorPort })
  const fresh = join(folder, 'node')
  const isOfLog = (source: string): boolean => !source.includes('read-models')
  cpSync(original, fresh, { recursive: true, filter: isOfLog })
  began = performance.now()
  const SNAPSHOT_FROM = `http://127.0.0.1:${operatorPort}`
  const other = await start(fresh, { SNAPSHOT_TOKEN, SNAPSHOT_FROM })
  const ready = secondsSince(began)
  const handedOver = statSync(currentReadModels({ DATA_DIR: fresh }) ?? '').size
  if (handedOver < size) throw new Error('the new node has folded the log instead')
  say(`a new node is ready after ${ready} s, with ${(handedOver / 1e6).toFixed(0)} MB`)
  say(`${cpus().length} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
  await Promise.all([node.stop(), other.stop()])
} finally {
  rmSync(original, { recursive: true })
  rmSync(folder, { recursive: true })
}
