import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { hash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import Database from '../infrastructure/sqlite.ts'
import { openRawFile, textTable } from './raw-commits.ts'

/**
 * A lower bound for a durable capture in one process: Hono, a cached secret, a body checked by zod,
 * and a row of 600 bytes in a group commit with `synchronous=FULL`. It implements no payments.
 */

/** Compiled, like the service's schemas. */
const bodySchema = z.compile(
  z.object({
    action: z.string(),
    amount: z.string().regex(/^\d+\.\d\d$/),
    currency: z.string().length(3),
    capture_id: z.string().regex(/^[a-zA-Z0-9-_.]+$/),
  }),
)

const verdicts = new Map([['sandbox/pos1', hash('sha256', 'SECRET sandbox-secret')]])

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

const append = groupCommits(openRawFile(process.argv[2] ?? '', textTable))
const app = new Hono()

app.get('/', (http) => http.text('daybook'))
app.put('/merchant/v1/payment_request/:tid/', async (http) => {
  const { req } = http
  const user = `${req.header('X-Service-Merchant')}/${req.header('X-Service-User')}`
  const authorization = req.header('Authorization') ?? ''
  if (verdicts.get(user) !== hash('sha256', authorization)) return http.body(null, 401)
  const body = bodySchema.safeParse(await req.json())
  if (!body.success) return http.body(null, 400)
  await append(JSON.stringify({ tid: req.param('tid'), ...body.data }).padEnd(600))
  return http.body(null, 204)
})

const server: ServerType = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => {
  const { address, port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://${address}:${port}\n`)
})
process.once('SIGTERM', () => process.exit())
