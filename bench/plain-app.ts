import { serve, type ServerType } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { hash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import Database from '../infrastructure/sqlite.ts'

/**
 * Payments as a plain Hono app stores them: the same headers and secret, the body through zod,
 * and one transaction per request with `synchronous=FULL`. It keeps no history and batches
 * nothing.
 */

const database = new Database(process.argv[2] ?? '')
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(`
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, merchant TEXT NOT NULL, pos_id TEXT NOT NULL, pos_tid TEXT NOT NULL,
    request TEXT NOT NULL, amount INTEGER NOT NULL, status TEXT NOT NULL,
    UNIQUE (merchant, pos_id, pos_tid)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS captures (
    payment TEXT NOT NULL, id TEXT NOT NULL, amount INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (payment, id)
  ) STRICT, WITHOUT ROWID;
`)

const amountText = z.string().regex(/^\d+\.\d\d$/)
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
const captureSchema = z.object({
  action: z.literal('CAPTURE'),
  amount: amountText,
  currency: z.string().length(3),
  capture_id: z.string().regex(/^[a-zA-Z0-9-_.]+$/),
})
const acceptSchema = z.object({ payer: z.string().optional() })

type PaymentRow = { readonly amount: number; readonly status: string; readonly request: string }
type CaptureRow = { readonly id: string; readonly amount: number }

const insertPayment = database.prepare(`INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, 'pending')`)
const findPayment = database.prepare<[string, string], PaymentRow>(
  'SELECT amount, status, request FROM payments WHERE id = ? AND merchant = ?',
)
const authorize = database.prepare(
  `UPDATE payments SET status = 'auth' WHERE id = ? AND status = 'pending'`,
)
const capturesOf = database.prepare<[string], CaptureRow>(
  'SELECT id, amount FROM captures WHERE payment = ?',
)
const insertCapture = database.prepare('INSERT INTO captures VALUES (?, ?, ?, ?)')

const minor = (text: string): number => Number(text.replace('.', ''))

const create = database.transaction((merchant: string, request: z.infer<typeof createSchema>) => {
  const id = randomUUID()
  const { pos_id, pos_tid, amount } = request
  insertPayment.run(id, merchant, pos_id, pos_tid, JSON.stringify(request), minor(amount))
  return id
}).immediate

const accept = database.transaction((id: string) => authorize.run(id).changes === 1).immediate

const capture = database.transaction(
  (merchant: string, id: string, captureId: string, amount: number) => {
    const payment = findPayment.get(id, merchant)
    if (payment?.status !== 'auth') return false
    const captured = capturesOf.all(id).reduce((sum, earlier) => sum + earlier.amount, 0)
    if (captured + amount > payment.amount) return false
    insertCapture.run(id, captureId, amount, Date.now())
    return true
  },
).immediate

const read = database.transaction((merchant: string, id: string) => {
  const payment = findPayment.get(id, merchant)
  return payment && { ...payment, captures: capturesOf.all(id) }
})

const verdicts = new Map([['sandbox/pos1', hash('sha256', 'SECRET sandbox-secret')]])

/** The merchant, if the secret is right. */
const merchantOf = ({ req }: Context): string | undefined => {
  const merchant = req.header('X-Service-Merchant')
  const secret = req.header('Authorization') ?? ''
  const expected = verdicts.get(`${merchant}/${req.header('X-Service-User')}`)
  return expected === hash('sha256', secret) ? merchant : undefined
}

const path = '/merchant/v1/payment_request/'
const app = new Hono()

app.get('/health/live', (http) => http.json({ status: 'live' }))

app.post(path, async (http) => {
  const merchant = merchantOf(http)
  if (merchant === undefined) return http.body(null, 401)
  const body = createSchema.safeParse(await http.req.json())
  if (!body.success) return http.body(null, 400)
  const id = create(merchant, body.data)
  return http.json({ id }, 201)
})

app.post('/sandbox/v1/payment_request/:id/accept/', async (http) => {
  if (!acceptSchema.safeParse(await http.req.json()).success) return http.body(null, 400)
  return http.body(null, accept(http.req.param('id')) ? 204 : 409)
})

app.put(`${path}:id/`, async (http) => {
  const merchant = merchantOf(http)
  if (merchant === undefined) return http.body(null, 401)
  const body = captureSchema.safeParse(await http.req.json())
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

const server: ServerType = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => {
  const { address, port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://${address}:${port}\n`)
})
process.once('SIGTERM', () => process.exit())
