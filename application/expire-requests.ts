import type { Instant } from '../domain/time.ts'
import { payments, permissionRequests } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Context } from './handle.ts'
import { listOwn, type Share } from './share.ts'
import type { DueWork } from './schedule.ts'

/** Requests whose deadline has passed, according to the read model. */
type Rows<Row> = {
  due(now: Instant, limit: number): readonly Row[]
  nextDeadline(now: Instant): Instant | null
}

type Needs<Row> = {
  readonly share: Share
  readonly rows: Rows<Row>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

type Kind<Row> = {
  readonly category: string
  readonly idOf: (row: Row) => string
  /** Records the expiry, if the decider agrees. */
  readonly expire: (id: string, context: Context) => Promise<{ readonly events: readonly object[] }>
}

const batchSize = 200

const merchantOf = ({ merchant }: { readonly merchant: string }): string => merchant

/**
 * Records expiries and returns when the next one is due. Deciders ignore requests captured, renewed
 * or answered in the meantime. A request that stays listed without expiring counts as failed and
 * backs off.
 */
const expireDue = <Row extends { readonly merchant: string }>(
  { share, rows, caughtUp, newId, outageOf }: Needs<Row>,
  { category, idOf, expire: record }: Kind<Row>,
): DueWork => {
  const backOff = perKeyBackOff<Row>({ keyOf: idOf, outageOf })
  return async (at, stopped) => {
    let unchanged = new Set<string>()
    for (;;) {
      const list = (limit: number) => rows.due(at, limit)
      const due = backOff.due(at, batchSize, listOwn(share, merchantOf, list))
      if (due.length === 0 || stopped.aborted) return backOff.nextLook(rows.nextDeadline(at))
      const before = unchanged
      unchanged = new Set()
      const correlationId = newId()
      const expire = async (row: Row): Promise<void> => {
        const id = idOf(row)
        const { merchant } = row
        const context = { at, merchant, actor: 'daybook', correlationId }
        if ((await record(id, context)).events.length > 0) return
        if (before.has(id))
          throw new Error(`${category} ${id} is listed as due, but does not expire`)
        unchanged.add(id)
      }
      await Promise.all(due.map((row) => backOff.attempt(row, at, () => expire(row))))
      await caughtUp()
    }
  }
}

/** Unanswered requests and uncaptured authorizations. */
export const expirePayments = (needs: Needs<{ readonly tid: string; readonly merchant: string }>) =>
  expireDue(needs, {
    category: payments.category,
    idOf: ({ tid }) => tid,
    expire: (tid, context) =>
      needs.share.handle(payments, tid, { type: 'ExpirePayment', at: context.at }, context),
  })

export const expirePermissions = (
  needs: Needs<{ readonly rid: string; readonly merchant: string }>,
) =>
  expireDue(needs, {
    category: permissionRequests.category,
    idOf: ({ rid }) => rid,
    expire: (rid, context) =>
      needs.share.handle(
        permissionRequests,
        rid,
        { type: 'ExpirePermission', at: context.at },
        context,
      ),
  })
