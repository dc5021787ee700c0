import { serve, type ServerType } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import { hash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/* What the apps that the service is compared with have in common. */

const verdicts = new Map([['sandbox/pos1', hash('sha256', 'SECRET sandbox-secret')]])

/** Checks a secret in memory. */
export const merchantOf = ({ req }: Context): string | undefined => {
  const merchant = req.header('X-Service-Merchant')
  const expected = verdicts.get(`${merchant}/${req.header('X-Service-User')}`)
  return expected === hash('sha256', req.header('Authorization') ?? '') ? merchant : undefined
}

const amountText = z.string().regex(/^\d+\.\d\d$/)

export const captureObject = z.object({
  action: z.string(),
  amount: amountText,
  currency: z.string().length(3),
  capture_id: z.string().regex(/^[a-zA-Z0-9-_.]+$/),
})

export const path = '/merchant/v1/payment_request/'

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

export type PaymentRequest = z.infer<typeof createSchema>

type Later<Value> = Value | Promise<Value>

export type PaymentStore = {
  readonly create: (merchant: string, request: PaymentRequest) => Later<string>
  readonly accept: (id: string) => Later<boolean>
  readonly capture: (
    merchant: string,
    id: string,
    captureId: string,
    amount: number,
  ) => Later<boolean>
  readonly read: (merchant: string, id: string) => Later<object | undefined>
}

export const minor = (amount: string): number => Number(amount.replace('.', ''))

/** The requests of a lifecycle, as a plain Hono app answers them from a store of its own. */
export const paymentsApp = ({ create, accept, capture, read }: PaymentStore): Hono => {
  const app = new Hono()
  app.get('/health/live', (http) => http.json({ status: 'live' }))
  app.post(path, async (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const body = createSchema.safeParse(await http.req.json())
    if (!body.success) return http.body(null, 400)
    return http.json({ id: await create(merchant, body.data) }, 201)
  })
  app.post('/sandbox/v1/payment_request/:id/accept/', async (http) => {
    if (!acceptSchema.safeParse(await http.req.json()).success) return http.body(null, 400)
    return http.body(null, (await accept(http.req.param('id'))) ? 204 : 409)
  })
  app.put(`${path}:id/`, async (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const body = captureObject.safeParse(await http.req.json())
    if (!body.success) return http.body(null, 400)
    const { capture_id, amount } = body.data
    const isDone = await capture(merchant, http.req.param('id'), capture_id, minor(amount))
    return http.body(null, isDone ? 204 : 409)
  })
  app.get(`${path}:id/outcome/`, async (http) => {
    const merchant = merchantOf(http)
    if (merchant === undefined) return http.body(null, 401)
    const payment = await read(merchant, http.req.param('id'))
    return payment ? http.json(payment) : http.body(null, 404)
  })
  return app
}

export const listen = ({ fetch }: Pick<Hono, 'fetch'>): void => {
  const server: ServerType = serve({ fetch, hostname: '127.0.0.1', port: 0 }, () => {
    const { address, port } = server.address() as AddressInfo
    process.stdout.write(`listening on http://${address}:${port}\n`)
  })

  process.once('SIGTERM', () => process.exit())
}
