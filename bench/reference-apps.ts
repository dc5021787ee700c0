import { Hono } from 'hono'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import Database from '../infrastructure/sqlite.ts'
import {
  captureObject,
  listen,
  merchantOf,
  minor,
  path,
  paymentsApp,
  type PaymentRequest,
  type PaymentStore,
} from './payments-app.ts'
import { openRawFile, textTable } from './raw-file.ts'

/*
 * What the service is compared with: `reference-apps.ts bare|plain <file>`. Both check the same
 * headers against a secret in memory, and the same bodies through zod.
 */

/** Compiled, like the service's schemas. */
const captureSchema = z.compile(captureObject)

/** Rows that arrive in one turn of the event loop share a commit. */
const groupCommits = (database: Database.Database) => {
  const insert = database.prepare('INSERT INTO rows (row) VALUES (?)')
  let waiting: { readonly row: string; readonly committed: () => void }[] = []
  const commit = database.transaction((group: typeof waiting) => {
    for (const { row } of group) insert.run(row)
  })
  const flush = (): void => {
    const group = waiting
    waiting = []
    commit.immediate(group)
    for (const { committed } of group) committed()
  }
  return (row: string) =>
    new Promise<void>((committed) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ row, committed })
    })
}

/**
 * A lower bound for a durable capture in one process: a row of 600 bytes in a group commit with
 * `synchronous=FULL`. It implements no payments.
 */
const bareApp = (file: string): Hono => {
  const append = groupCommits(openRawFile(file, textTable))
  const app = new Hono()
  app.get('/', (http) => http.text('daybook'))
  app.put(`${path}:tid/`, async (http) => {
    if (merchantOf(http) === undefined) return http.body(null, 401)
    const body = captureSchema.safeParse(await http.req.json())
    if (!body.success) return http.body(null, 400)
    await append(JSON.stringify({ tid: http.req.param('tid'), ...body.data }).padEnd(600))
    return http.body(null, 204)
  })
  return app
}

const plainTables = `
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, merchant TEXT NOT NULL, pos_id TEXT NOT NULL, pos_tid TEXT NOT NULL,
    request TEXT NOT NULL, amount INTEGER NOT NULL, status TEXT NOT NULL,
    UNIQUE (merchant, pos_id, pos_tid)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS captures (
    payment TEXT NOT NULL, id TEXT NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (payment, id)
  ) STRICT, WITHOUT ROWID;
`

type PaymentRow = { readonly amount: number; readonly status: string; readonly request: string }

type CaptureRow = { readonly id: string; readonly amount: number }

/** Payments in tables, with one transaction per request and no history. It batches nothing. */
const plainStore = (file: string): PaymentStore => {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec(plainTables)
  const insertPayment = database.prepare(
    `INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, 'pending')`,
  )
  const findPayment = database.prepare<[string, string], PaymentRow>(
    'SELECT amount, status, request FROM payments WHERE id = ? AND merchant = ?',
  )
  const accept = database.prepare(
    `UPDATE payments SET status = 'auth' WHERE id = ? AND status = 'pending'`,
  )
  const capturesOf = database.prepare<[string], CaptureRow>(
    'SELECT id, amount FROM captures WHERE payment = ?',
  )
  const insertCapture = database.prepare('INSERT INTO captures VALUES (?, ?, ?, ?)')
  return {
    create: database.transaction((merchant: string, body: PaymentRequest) => {
      const id = randomUUID()
      const { pos_id, pos_tid, amount } = body
      insertPayment.run(id, merchant, pos_id, pos_tid, JSON.stringify(body), minor(amount))
      return id
    }).immediate,
    accept: database.transaction((id: string) => accept.run(id).changes > 0).immediate,
    capture: database.transaction((merchant: string, id: string, name: string, amount: number) => {
      const payment = findPayment.get(id, merchant)
      if (payment?.status !== 'auth') return false
      const captured = capturesOf.all(id).reduce((sum, earlier) => sum + earlier.amount, 0)
      if (captured + amount > payment.amount) return false
      insertCapture.run(id, name, amount, Date.now())
      return true
    }).immediate,
    read: database.transaction((merchant: string, id: string) => {
      const payment = findPayment.get(id, merchant)
      return payment && { ...payment, captures: capturesOf.all(id) }
    }),
  }
}

const [kind, file = ''] = process.argv.slice(2)

listen(kind === 'bare' ? bareApp(file) : paymentsApp(plainStore(file)))
