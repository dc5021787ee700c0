import { hash, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import {
  listen,
  minor,
  paymentsApp,
  type PaymentRequest,
  type PaymentStore,
} from './payments-app.ts'

/*
 * `peer-apps.ts postgresql|emmett <url>`: payments as the documentation of node-postgres and of
 * Emmett would have them written, in its defaults.
 */

const tables = `
  CREATE TABLE IF NOT EXISTS payments (
    id uuid PRIMARY KEY, merchant text NOT NULL, pos_id text NOT NULL, pos_tid text NOT NULL,
    request jsonb NOT NULL, amount bigint NOT NULL, status text NOT NULL,
    UNIQUE (merchant, pos_id, pos_tid)
  );
  CREATE TABLE IF NOT EXISTS captures (
    payment uuid NOT NULL, id text NOT NULL, amount bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (payment, id)
  );
  CREATE TABLE IF NOT EXISTS outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, type text NOT NULL, data jsonb NOT NULL
  );
`

const sentAtOnce = 1_000
const relayEveryMs = 500

const tell = (client: Client, type: string, data: object) =>
  client.query('INSERT INTO outbox (type, data) VALUES ($1, $2)', [type, data])

const openPool = async (connectionString: string) => {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString })
  // A connection that is lost ends only itself.
  const report = (error: unknown): void => console.error('PostgreSQL:', error)
  pool.on('error', report)

  const inTransaction = async <Result>(work: (client: Client) => Promise<Result>) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const result = await work(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }

  /** Payments of the bench have no callback address: nothing is posted. */
  const relayOnce = async (): Promise<number> => {
    const { rowCount } = await pool.query(
      `DELETE FROM outbox WHERE id IN (
         SELECT id FROM outbox ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
       ) RETURNING type, data`,
      [sentAtOnce],
    )
    return rowCount
  }
  const relay = async (): Promise<void> => {
    const sent = await relayOnce().catch(report)
    setTimeout(() => void relay(), (sent ?? 0) < sentAtOnce ? relayEveryMs : 0)
  }

  await pool.query(tables)
  await relay()
  return { pool, inTransaction }
}

/** Payments in tables, each change in one transaction with its message in an outbox. */
const postgresStore = async (connectionString: string): Promise<PaymentStore> => {
  const { pool, inTransaction } = await openPool(connectionString)
  return {
    create: (merchant, request) =>
      inTransaction(async (client) => {
        const id = randomUUID()
        const { pos_id, pos_tid, amount } = request
        await client.query(`INSERT INTO payments VALUES ($1, $2, $3, $4, $5, $6, 'pending')`, [
          ...[id, merchant, pos_id, pos_tid, request, minor(amount)],
        ])
        await tell(client, 'payment_requested', { id })
        return id
      }),
    accept: (id) =>
      inTransaction(async (client) => {
        const { rowCount } = await client.query(
          `UPDATE payments SET status = 'auth' WHERE id = $1 AND status = 'pending'`,
          [id],
        )
        if (rowCount > 0) await tell(client, 'payment_authorized', { id })
        return rowCount > 0
      }),
    capture: (merchant, id, captureId, amount) =>
      inTransaction(async (client) => {
        const { rows } = await client.query<{ amount: string; status: string }>(
          'SELECT amount, status FROM payments WHERE id = $1 AND merchant = $2 FOR UPDATE',
          [id, merchant],
        )
        if (rows[0]?.status !== 'auth') return false
        const captured = await client.query<{ sum: string }>(
          'SELECT coalesce(sum(amount), 0) AS sum FROM captures WHERE payment = $1',
          [id],
        )
        const left = Number(rows[0].amount) - Number(captured.rows[0]?.sum)
        if (amount > left) return false
        await client.query('INSERT INTO captures (payment, id, amount) VALUES ($1, $2, $3)', [
          ...[id, captureId, amount],
        ])
        await tell(client, 'payment_captured', { id, captureId, amount })
        return true
      }),
    read: async (merchant, id) => {
      const { rows } = await pool.query(
        'SELECT amount, status, request FROM payments WHERE id = $1 AND merchant = $2',
        [id, merchant],
      )
      const captures = await pool.query('SELECT id, amount FROM captures WHERE payment = $1', [id])
      return rows[0] && { ...rows[0], captures: captures.rows }
    },
  }
}

type Event =
  | { type: 'PaymentRequested'; data: { merchant: string; request: PaymentRequest } }
  | { type: 'PaymentAuthorized'; data: Record<string, never> }
  | { type: 'PaymentCaptured'; data: { id: string; amount: number } }

type Payment = {
  readonly merchant: string
  readonly status: 'none' | 'pending' | 'auth'
  readonly request: PaymentRequest | undefined
  readonly captures: readonly { readonly id: string; readonly amount: number }[]
}

const initialState = (): Payment => {
  return { merchant: '', status: 'none', request: undefined, captures: [] }
}

const evolve = (state: Payment, { type, data }: Event): Payment => {
  switch (type) {
    case 'PaymentRequested':
      return { ...state, ...data, status: 'pending' }
    case 'PaymentAuthorized':
      return { ...state, status: 'auth' }
    case 'PaymentCaptured':
      return { ...state, captures: [...state.captures, data] }
  }
}

const captured = ({ captures }: Payment): number =>
  captures.reduce((sum, { amount }) => sum + amount, 0)

/** Streams of payments, each read again for a command and an outcome; no projections. */
const emmettStore = async (connectionString: string): Promise<PaymentStore> => {
  const { CommandHandler } = await import('@event-driven-io/emmett')
  const { getPostgreSQLEventStore } = await import('@event-driven-io/emmett-postgresql')
  const store = getPostgreSQLEventStore(connectionString)
  await store.schema.migrate()
  const handler = CommandHandler<Payment, Event>({ evolve, initialState })

  const handle = async (id: string, decide: (payment: Payment) => Event[]): Promise<boolean> =>
    (await handler(store, `payment-${id}`, decide)).newEvents.length > 0

  return {
    create: async (merchant, request) => {
      const id = hash('sha256', `${merchant}/${request.pos_id}/${request.pos_tid}`)
      await handle(id, ({ status }) =>
        status === 'none' ? [{ type: 'PaymentRequested', data: { merchant, request } }] : [],
      )
      return id
    },
    accept: (id) =>
      handle(id, ({ status }) =>
        status === 'pending' ? [{ type: 'PaymentAuthorized', data: {} }] : [],
      ),
    capture: (merchant, id, captureId, amount) =>
      handle(id, (payment) => {
        if (payment.merchant !== merchant || payment.status !== 'auth') return []
        const left = minor(payment.request?.amount ?? '0') - captured(payment)
        if (amount > left || payment.captures.some((one) => one.id === captureId)) return []
        return [{ type: 'PaymentCaptured', data: { id: captureId, amount } }]
      }),
    read: async (merchant, id) => {
      const options = { evolve, initialState }
      const { state } = await store.aggregateStream<Payment, Event>(`payment-${id}`, options)
      return state.merchant === merchant ? state : undefined
    },
  }
}

const [kind, url = ''] = process.argv.slice(2)

listen(paymentsApp(await (kind === 'emmett' ? emmettStore(url) : postgresStore(url))))
