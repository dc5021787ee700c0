import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { callbackEventNames } from '../domain/callback.ts'
import { paymentEvents, type PaymentEvent } from '../domain/payment/payment-events.ts'
import { idIn } from '../domain/stream.ts'
import type { Instant } from '../domain/time.ts'
import { silent, transactionLine } from './payment-lines.ts'
import { paymentOutcomes, type PaymentOutcome } from './payment-outcome-table.ts'
import { asOf, changed, requested } from './payment-outcome.ts'
import { prepared } from './prepared.ts'
import { projection } from './projection.ts'

export const paymentOutcomeProjection = projection({
  table: paymentOutcomes,
  key: paymentOutcomes.tid,
  handles: Object.keys(paymentEvents) as PaymentEvent['type'][],
  begins: ['PaymentRequested'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    const { stream, position, revision, metadata } = event
    if (event.type === 'PaymentRequested')
      return requested(idIn(stream), event.data, metadata.at, position)
    if (!row) return undefined
    const isSilent = silent.has(event.type)
    const isMoved = row.isWaiting && event.type !== 'PaymentAmended'
    const isTold = event.type in callbackEventNames && row.callbackUri !== null
    return changed(row, event, metadata.at, {
      inboxPosition: isMoved ? position : row.inboxPosition,
      seqno: isTold ? row.seqno + 1 : row.seqno,
      linePosition: isSilent ? row.linePosition : position,
      lineLedger: isSilent ? row.lineLedger : row.ledger,
      revision,
    })
  },
  tell: transactionLine,
})

export const paymentOutcomeQueries = (db: BetterSQLite3Database) => {
  const findAny = prepared(
    db,
    paymentOutcomes,
    db
      .select()
      .from(paymentOutcomes)
      .where(eq(paymentOutcomes.tid, sql.placeholder('tid'))),
  )
  const due = prepared(
    db,
    paymentOutcomes,
    db
      .select({ tid: paymentOutcomes.tid, merchant: paymentOutcomes.merchant })
      .from(paymentOutcomes)
      .where(
        and(
          isNotNull(paymentOutcomes.deadline),
          lte(paymentOutcomes.deadline, sql.placeholder('now')),
        ),
      )
      .orderBy(asc(paymentOutcomes.deadline))
      .limit(sql.placeholder('limit')),
  )
  const next = prepared(
    db,
    paymentOutcomes,
    db
      .select({ deadline: paymentOutcomes.deadline })
      .from(paymentOutcomes)
      .where(isNotNull(paymentOutcomes.deadline))
      .orderBy(asc(paymentOutcomes.deadline))
      .limit(1),
  )
  return {
    /** The outcome at an instant; undefined for a tid that the merchant does not have. */
    find: (merchant: string, tid: string, now: Instant): PaymentOutcome | undefined => {
      const row = findAny.get({ tid })
      return row?.merchant === merchant ? asOf(now, row) : undefined
    },
    /** As it was folded last, whoever's it is. */
    findAny: (tid: string): PaymentOutcome | undefined => findAny.get({ tid }),
    /** Payments whose deadline has passed and whose expiry is not recorded yet, earliest first. */
    due: (now: Instant, limit: number) => due.all({ now, limit }),
    nextDeadline: (): Instant | null => next.get()?.deadline ?? null,
  }
}
