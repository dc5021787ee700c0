import { asc, desc, gt, lte, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { DeliveryLane } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import { nextBy } from './due.ts'
import { columnsOf, countOf, findBy, given, rowsOf, same, type Chosen } from './prepared.ts'
import { callbackQueue, isToBeSent, isUnfinished } from './queued-messages.ts'

const { subject, merchant, destination, dueAt, position } = callbackQueue
const now = given('now')

type Due = { readonly [Member in keyof DeliveryLane]: DeliveryLane[Member] | null }

const laneIn = ({ merchant, destination }: Due): DeliveryLane[] =>
  destination === null ? [] : [{ merchant, destination }]

/**
 * Finds lanes that became due; the cost grows with their number, not with the size of the queue.
 */
const newlyDueIn = (db: BetterSQLite3Database) => {
  const columns = { merchant, destination, dueAt, position }
  const select = (chosen: Chosen) => columnsOf(db, callbackQueue, { columns, ...chosen })
  const lastChange = select({ where: [isToBeSent], order: [desc(position)], limit: 1 })
  // Filtered afterwards: with this condition, SQLite might scan everything that is due.
  const isChanged = [gt(position, given('position')), isToBeSent]
  const changes = select({ where: isChanged, order: [asc(position)] })
  const became = columnsOf(db, callbackQueue, {
    columns: { merchant, destination },
    where: [gt(dueAt, given('after')), lte(dueAt, now)],
    isDistinct: true,
  })

  return (now: Instant, lastCheck: { readonly at: Instant; readonly position: number } | null) => {
    // Changes first: anything between the two reads is found by the next check.
    const changed = lastCheck ? changes.all({ position: lastCheck.position }) : []
    const last = lastCheck ? (changed.at(-1) ?? lastCheck) : lastChange.get()
    const changedLanes = changed
      .filter(({ dueAt }) => dueAt !== null && dueAt <= now)
      .flatMap(laneIn)
    const elapsed = became.all({ after: lastCheck?.at ?? -Infinity, now }).flatMap(laneIn)
    return {
      changed: changedLanes,
      elapsed,
      lastCheck: { at: now, position: last?.position ?? -1 },
    }
  }
}

const dueIn = (db: BetterSQLite3Database) => {
  const select = (...where: readonly SQL[]) => {
    const chosen = { where: [...where, lte(dueAt, now)], order: [asc(dueAt)] }
    return columnsOf(db, callbackQueue, { columns: { subject }, ...chosen, limit: given('limit') })
  }
  // `is` also matches null, for messages without a merchant.
  const atLane = select(sql`${merchant} is ${given('merchant')}`, same(destination))
  const anywhere = select()
  const subjectOf = (row: { readonly subject: string }): string => row.subject
  return {
    /** Resources whose first message to this lane is due, longest due first. */
    due: ({ merchant, destination }: DeliveryLane, now: Instant, limit: number): string[] =>
      atLane.all({ merchant, destination, now, limit }).map(subjectOf),
    /** The same for all lanes. */
    dueAnywhere: (now: Instant, limit: number): string[] =>
      anywhere.all({ now, limit }).map(subjectOf),
    nextDue: nextBy(db, callbackQueue, dueAt),
  }
}

export const callbackQueueQueries = (db: BetterSQLite3Database) => {
  const isDue = [same(subject), lte(dueAt, now)]
  const lane = columnsOf(db, callbackQueue, { columns: { merchant, destination }, where: isDue })
  const later = rowsOf(db, callbackQueue, { where: [gt(dueAt, given('then')), isToBeSent] })
  const unfinished = rowsOf(db, callbackQueue, { where: [isUnfinished] })
  const countWhere = (condition: SQL) =>
    db
      .select({ count: sql<number>`count(*)` })
      .from(callbackQueue)
      .where(condition)
      .prepare()
  const [dueNow, dueLater] = [countWhere(lte(dueAt, now)), countWhere(gt(dueAt, now))]
  return {
    ...dueIn(db),
    /**
     * Lanes that became due since the last check: `changed` by an event, `elapsed` by time. The
     * first check finds all.
     */
    newlyDue: newlyDueIn(db),
    find: findBy(db, callbackQueue, subject),
    /** Lane of a resource's first message, if due. */
    laneOf: (subject: string, now: Instant): DeliveryLane | undefined =>
      lane.all({ subject, now }).flatMap(laneIn)[0],
    dueAfter: (then: Instant) => later.all({ then }),
    /** Resources whose first message is due now, or will be tried again. */
    dueCount: (at: Instant): number => dueNow.get({ now: at })?.count ?? 0,
    laterCount: (at: Instant): number => dueLater.get({ now: at })?.count ?? 0,
    /** For the operator. */
    unfinished: () => unfinished.all(),
    unfinishedCount: countOf(db, callbackQueue, isUnfinished),
  }
}
