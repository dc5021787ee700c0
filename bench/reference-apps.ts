import { serve, type ServerType } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { hash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import Database from '../infrastructure/sqlite.ts'
import { openRawFile, textTable } from './raw-file.ts'

/*
 * What the service is compared with: `reference-apps.ts bare|plain <file>`. Both check the same
 * headers against a secret in memory, and the same bodies through zod.
 */

const verdicts = new Map([['sandbox/pos1', hash('sha256', 'SECRET sandbox-secret')]])

const merchantOf = ({ req }: Context): string | undefined => {
  const merchant = req.header('X-Service-Merchant')
  const expected = verdicts.get(`${merchant}/${req.header('X-Service-User')}`)
  return expected === hash('sha256', req.header('Authorization') ?? '') ? merchant : undefined
}

const amountText = z.string().regex(/^\d+\.\d\d$/)

const captureObject = z.object({
  action: z.string(),
  amount: amountText,
  currency: z.string().length(3),
  capture_id: z.string().regex(/^[a-zA-Z0-9-_.]+$/),
})

/** Compiled, like the service's schemas. */
const captureSchema = z.compile(captureObject)

const path = '/merchant/v1/payment_request/'

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

const createSchema = z.object({
  pos_id: z.string().max(64),
  pos_tid: z.string().max(64),
  action: z.enum(['auth', 'sale']),
  currency: z.string().length(3),
  amount: amountText,
  allow_credit: z.boolean(),
  customer: z.string().optional(),
  text: z.string().max(1000).optional(),
})

const acceptSchema = z.object({ payer: z.string().optional() })

type PaymentRow = { readonly amount: number; readonly status: string; readonly request: string }

type CaptureRow = { readonly id: string; readonly amount: number }

const minor = (amount: string): number => Number(amount.replace('.', ''))

/** Payments in tables, with one transaction per request and no history. */
const plainStore = (file: string) => {
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
    create: database.transaction((merchant: string, body: z.infer<typeof createSchema>) => {
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

/** Payments as a plain Hono app stores them. It batches nothing. */
const plainApp = (file: string): Hono => {
  const { create, accept, capture, read } = plainStore(file)
  const app = new Hono()
  app.get('/health/live', (http) => http.json({ status: 'live' }))
  app.post(path, async (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const body = createSchema.safeParse(await http.req.json())
    return body.success ? http.json({ id: create(merchant, body.data) }, 201) : http.body(null, 400)
  })
  app.post('/sandbox/v1/payment_request/:id/accept/', async (http) => {
    if (!acceptSchema.safeParse(await http.req.json()).success) return http.body(null, 400)
    return http.body(null, accept(http.req.param('id')) ? 204 : 409)
  })
  app.put(`${path}:id/`, async (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const body = captureObject.safeParse(await http.req.json())
    if (!body.success) return http.body(null, 400)
    const { capture_id, amount } = body.data
    const isDone = capture(merchant, http.req.param('id'), capture_id, minor(amount))
    return http.body(null, isDone ? 204 : 409)
  })
  app.get(`${path}:id/outcome/`, (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const payment = read(merchant, http.req.param('id'))
    return payment ? http.json(payment) : http.body(null, 404)
  })
  return app
}

const [kind, file = ''] = process.argv.slice(2)

const { fetch } = kind === 'bare' ? bareApp(file) : plainApp(file)

const server: ServerType = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => {
  const { address, port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://${address}:${port}\n`)
})

process.once('SIGTERM', () => process.exit())
