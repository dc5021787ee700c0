import type { Instant } from '../domain/time.ts'
import { payments, permissionRequests } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Context, Handle } from './handle.ts'

/** What may have come to its end, by the read model. */
type Rows<Row> = {
  due(now: Instant, limit: number): readonly Row[]
  /** The next deadline after now. */
  nextDeadline(now: Instant): Instant | null
}

type Needs<Row> = {
  readonly handle: Handle
  readonly rows: Rows<Row>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

/** How a kind of request expires. */
type Kind<Row> = {
  readonly category: string
  readonly idOf: (row: Row) => string
  /** Has its decider record the expiry. */
  readonly expire: (id: string, context: Context) => Promise<{ readonly events: readonly object[] }>
}

const batchSize = 200

/**
 * Records the expiry of everything of a kind whose time has come, each once; what was captured, renewed or answered
 * meanwhile is left alone by its own decider. Answers when the next one is due. What is listed as due a second time
 * without expiring counts as failed, and rests: asked again at once, it would be asked for ever.
 */
const expireDue = <Row extends { readonly merchant: string }>(
  { rows, newId, outageOf }: Omit<Needs<Row>, 'handle'>,
  { category, idOf, expire: record }: Kind<Row>,
) => {
  const expiring = perKeyBackOff<Row>({ keyOf: idOf, outageOf })
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
      const correlationId = newId()
      const expire = async (row: Row): Promise<void> => {
        const id = idOf(row)
        const { merchant } = row
        const context = { at, merchant, actor: 'daybook', correlationId }
        if ((await record(id, context)).events.length > 0) return
        if (before.has(id))
          throw new Error(`${category} ${id} is listed as due, but does not expire`)
        idle.add(id)
      }
      await Promise.all(due.map((row) => expiring.attempt(row, at, () => expire(row))))
      await caughtUp()
    }
  }
}

/** Payment requests that nobody answered, and authorisations that nobody captured. */
export const expirePayments = ({
  handle,
  ...needs
}: Needs<{ readonly tid: string; readonly merchant: string }>) =>
  expireDue(needs, {
    category: payments.category,
    idOf: ({ tid }) => tid,
    expire: (tid, context) =>
      handle(payments, tid, { type: 'ExpirePayment', at: context.at }, context),
  })

/** Permission requests that nobody answered. */
export const expirePermissions = ({
  handle,
  ...needs
}: Needs<{ readonly rid: string; readonly merchant: string }>) =>
  expireDue(needs, {
    category: permissionRequests.category,
    idOf: ({ rid }) => rid,
    expire: (rid, context) =>
      handle(permissionRequests, rid, { type: 'ExpirePermission', at: context.at }, context),
  })
