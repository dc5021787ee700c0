import type { Instant } from '../domain/time.ts'
import { payments, permissionRequests } from './aggregates.ts'
import { eachByItself, type OutageOf } from './each-by-itself.ts'
import type { Context, Handle } from './handle.ts'

/** What may have come to its end, by the read model. */
type Rows<Row> = {
  due(now: Instant, limit: number): readonly Row[]
  /** The next deadline after now. */
  nextDeadline(now: Instant): Instant | null
}

type Expiring<Row> = {
  readonly kind: string
  readonly rows: Rows<Row>
  readonly idOf: (row: Row) => string
  /** Has its decider record the expiry; answers whether it did. */
  readonly expire: (id: string, context: Context) => Promise<boolean>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

const batchSize = 200

/**
 * Records the expiry of everything of a kind whose time has come, each once; what was captured, renewed or answered
 * meanwhile is left alone by its own decider. Answers when the next one is due. What is listed as due and is not has
 * failed: asking again at once would ask for ever.
 */
const expireDue = <Row extends { readonly merchant: string }>(needs: Expiring<Row>) => {
  const { kind, rows, idOf, outageOf } = needs
  const expiring = eachByItself<Row>({ keyOf: idOf, outageOf })
  return async (
    at: Instant,
    caughtUp: () => Promise<void>,
    stopped: AbortSignal,
  ): Promise<Instant | null> => {
    let idle = new Set<string>()
    for (;;) {
      const due = expiring.due(at, batchSize, (limit) => rows.due(at, limit))
      if (due.length === 0 || stopped.aborted) return expiring.nextLook(rows.nextDeadline(at))
      const before = idle
      idle = new Set()
      const correlationId = needs.newId()
      const expire = async (row: Row): Promise<void> => {
        const id = idOf(row)
        const { merchant } = row
        if (await needs.expire(id, { at, merchant, actor: 'daybook', correlationId })) return
        if (before.has(id)) throw new Error(`${kind} ${id} is listed as due, but does not expire`)
        idle.add(id)
      }
      await Promise.all(due.map((row) => expiring.attempt(row, at, () => expire(row))))
      await caughtUp()
    }
  }
}

type PaymentNeeds = {
  readonly handle: Handle
  readonly payments: Rows<{ readonly tid: string; readonly merchant: string }>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/** Payment requests that nobody answered, and authorisations that nobody captured. */
export const expirePayments = ({ handle, payments: rows, newId, outageOf }: PaymentNeeds) =>
  expireDue({
    rows,
    kind: payments.category,
    idOf: ({ tid }) => tid,
    expire: async (tid, context) => {
      const command = { type: 'ExpirePayment', at: context.at } as const
      return (await handle(payments, tid, command, context)).events.length > 0
    },
    newId,
    outageOf,
  })

type PermissionNeeds = {
  readonly handle: Handle
  readonly permissions: Rows<{ readonly rid: string; readonly merchant: string }>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/** Permission requests that nobody answered. */
export const expirePermissions = ({
  handle,
  permissions: rows,
  newId,
  outageOf,
}: PermissionNeeds) =>
  expireDue({
    rows,
    kind: permissionRequests.category,
    idOf: ({ rid }) => rid,
    expire: async (rid, context) => {
      const command = { type: 'ExpirePermission', at: context.at } as const
      return (await handle(permissionRequests, rid, command, context)).events.length > 0
    },
    newId,
    outageOf,
  })
