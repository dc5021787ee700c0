import type { Instant } from '../domain/time.ts'
import { payments, permissionRequests } from './aggregates.ts'
import type { Context, Handle } from './handle.ts'

/** What may have come to its end, by the read model. */
type Rows<Row> = {
  due(now: Instant, limit: number): readonly Row[]
  nextDeadline(): Instant | null
}

type Expiring<Row> = {
  readonly kind: string
  readonly rows: Rows<Row>
  readonly idOf: (row: Row) => string
  /** Has its decider record the expiry; answers whether it did. */
  readonly expire: (id: string, context: Context) => Promise<boolean>
  readonly newId: () => string
}

const batchSize = 200

/**
 * Records the expiry of everything of a kind whose time has come, each once; what was captured, renewed or answered
 * meanwhile is left alone by its own decider. Answers when the next one is due.
 * @throws Error when something is listed as due that is not: asking again at once would ask for ever
 */
const expireDue =
  <Row extends { readonly merchant: string }>({ kind, rows, idOf, expire, newId }: Expiring<Row>) =>
  async (
    at: Instant,
    caughtUp: () => Promise<void>,
    stopped: AbortSignal,
  ): Promise<Instant | null> => {
    let idle: string | undefined
    for (;;) {
      const due = rows.due(at, batchSize)
      const [first] = due
      if (!first || stopped.aborted) return rows.nextDeadline()
      if (idOf(first) === idle)
        throw new Error(`${kind} ${idle} is listed as due, but does not expire`)
      const correlationId = newId()
      const recorded = await Promise.all(
        due.map((row) => {
          const { merchant } = row
          return expire(idOf(row), { at, merchant, actor: 'daybook', correlationId })
        }),
      )
      idle = recorded.includes(true) ? undefined : idOf(first)
      await caughtUp()
    }
  }

type PaymentNeeds = {
  readonly handle: Handle
  readonly payments: Rows<{ readonly tid: string; readonly merchant: string }>
  readonly newId: () => string
}

/** Payment requests that nobody answered, and authorisations that nobody captured. */
export const expirePayments = ({ handle, payments: rows, newId }: PaymentNeeds) =>
  expireDue({
    rows,
    kind: payments.category,
    idOf: ({ tid }) => tid,
    expire: async (tid, context) => {
      const command = { type: 'ExpirePayment', at: context.at } as const
      return (await handle(payments, tid, command, context)).events.length > 0
    },
    newId,
  })

type PermissionNeeds = {
  readonly handle: Handle
  readonly permissions: Rows<{ readonly rid: string; readonly merchant: string }>
  readonly newId: () => string
}

/** Permission requests that nobody answered. */
export const expirePermissions = ({ handle, permissions: rows, newId }: PermissionNeeds) =>
  expireDue({
    rows,
    kind: permissionRequests.category,
    idOf: ({ rid }) => rid,
    expire: async (rid, context) => {
      const command = { type: 'ExpirePermission', at: context.at } as const
      return (await handle(permissionRequests, rid, command, context)).events.length > 0
    },
    newId,
  })
