import type { Instant } from '../domain/time.ts'
import { payments, permissionRequests } from '../domain/aggregates.ts'
import { perKeyBackOff, type OutageOf } from './per-key-back-off.ts'
import type { Context } from './handle.ts'
import { listOwn, type Share } from './share.ts'
import type { DueWork } from './schedule.ts'

/** Rows for which something is due, according to the read model. */
export type DueRows<Row> = {
  due(now: Instant, limit: number): readonly Row[]
  nextDeadline(now: Instant): Instant | null
}

export type DueNeeds<Row> = {
  readonly share: Share
  readonly rows: DueRows<Row>
  readonly caughtUp: () => Promise<void>
  readonly newId: () => string
  readonly outageOf: OutageOf
}

type Kind<Row> = {
  readonly category: string
  readonly idOf: (row: Row) => string
  /** Records it, if the decider agrees. */
  readonly record: (id: string, context: Context) => Promise<{ readonly events: readonly object[] }>
}

const batchSize = 200

const merchantOf = ({ merchant }: { readonly merchant: string }): string => merchant

/**
 * Records what is due and returns when the next is. Deciders ignore requests captured, renewed or
 * answered in the meantime. A request that stays listed without an event counts as failed and backs
 * off.
 */
export const recordDue = <Row extends { readonly merchant: string }>(
  { share, rows, caughtUp, newId, outageOf }: DueNeeds<Row>,
  { category, idOf, record }: Kind<Row>,
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
      const recordOne = async (row: Row): Promise<void> => {
        const id = idOf(row)
        const { merchant } = row
        const context = { at, merchant, actor: 'daybook', correlationId }
        if ((await record(id, context)).events.length > 0) return
        if (before.has(id))
          throw new Error(`${category} ${id} is listed as due, but nothing is recorded`)
        unchanged.add(id)
      }
      await Promise.all(due.map((row) => backOff.attempt(row, at, () => recordOne(row))))
      await caughtUp()
    }
  }
}

/** Unanswered requests and uncaptured authorizations. */
export const expirePayments = (
  needs: DueNeeds<{ readonly tid: string; readonly merchant: string }>,
) =>
  recordDue(needs, {
    category: payments.category,
    idOf: ({ tid }) => tid,
    record: (tid, context) =>
      needs.share.handle(payments, tid, { type: 'ExpirePayment', at: context.at }, context),
  })

export const expirePermissions = (
  needs: DueNeeds<{ readonly rid: string; readonly merchant: string }>,
) =>
  recordDue(needs, {
    category: permissionRequests.category,
    idOf: ({ rid }) => rid,
    record: (rid, context) =>
      needs.share.handle(
        permissionRequests,
        rid,
        { type: 'ExpirePermission', at: context.at },
        context,
      ),
  })
