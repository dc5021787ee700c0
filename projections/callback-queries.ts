import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import type { DeliveryLane } from '../domain/callback.ts'
import type { Instant } from '../domain/time.ts'
import { nextBy } from './due.ts'
import { countOf, findBy, prepared } from './prepared.ts'
import { callbackQueue, isToBeSent, isUnfinished } from './queued-messages.ts'

const { subject, merchant, destination, dueAt, position } = callbackQueue
const now = sql.placeholder('now')

type Due = { readonly [Member in keyof DeliveryLane]: DeliveryLane[Member] | null }

const laneIn = ({ merchant, destination }: Due): DeliveryLane[] =>
  destination === null ? [] : [{ merchant, destination }]

/** Finds the lanes in which something has become due. The cost grows with what has, not with what waits. */
const newlyDueIn = (db: BetterSQLite3Database) => {
  const fromThere = { merchant, destination, dueAt, position }
  const select = () => db.select(fromThere).from(callbackQueue)
  const lastChange = prepared(
    db,
    callbackQueue,
    select().where(isToBeSent).orderBy(desc(position)).limit(1),
  )
  const changes = prepared(
    db,
    callbackQueue,
    // Whether it is due is looked at afterwards: asked here, the database might go through all that is due.
    select()
      .where(and(gt(position, sql.placeholder('position')), isToBeSent))
      .orderBy(asc(position)),
  )
  const became = prepared(
    db,
    callbackQueue,
    db
      .selectDistinct({ merchant, destination })
      .from(callbackQueue)
      .where(and(gt(dueAt, sql.placeholder('after')), lte(dueAt, now))),
  )

  return (now: Instant, seen: { readonly at: Instant; readonly position: number } | null) => {
    // Changes first: one that comes between the two reads is found by the next look.
    const changed = seen ? changes.all({ position: seen.position }) : []
    const last = seen ? (changed.at(-1) ?? seen) : lastChange.get()
    const news = changed.filter(({ dueAt }) => dueAt !== null && dueAt <= now).flatMap(laneIn)
    const others = became.all({ after: seen?.at ?? -Infinity, now }).flatMap(laneIn)
    return { news, others, seen: { at: now, position: last?.position ?? -1 } }
  }
}

const dueIn = (db: BetterSQLite3Database) => {
  const select = () => db.select({ subject }).from(callbackQueue)
  const atLane = prepared(
    db,
    callbackQueue,
    select()
      .where(
        and(
          // `is` finds null, too: the messages of nobody.
          sql`${merchant} is ${sql.placeholder('merchant')}`,
          eq(destination, sql.placeholder('destination')),
          lte(dueAt, now),
        ),
      )
      .orderBy(asc(dueAt))
      .limit(sql.placeholder('limit')),
  )
  const anywhere = prepared(
    db,
    callbackQueue,
    select().where(lte(dueAt, now)).orderBy(asc(dueAt)).limit(sql.placeholder('limit')),
  )
  const subjectOf = (row: { readonly subject: string }): string => row.subject
  return {
    /** Resources whose first message there is due, the longest due first. */
    due: ({ merchant, destination }: DeliveryLane, now: Instant, limit: number): string[] =>
      atLane.all({ merchant, destination, now, limit }).map(subjectOf),
    /** The same, wherever their messages go. */
    dueAnywhere: (now: Instant, limit: number): string[] =>
      anywhere.all({ now, limit }).map(subjectOf),
    /** The next instant after now at which something becomes due. */
    nextDue: nextBy(db, callbackQueue, dueAt),
  }
}

export const callbackQueueQueries = (db: BetterSQLite3Database) => {
  const lane = prepared(
    db,
    callbackQueue,
    db
      .select({ merchant, destination })
      .from(callbackQueue)
      .where(and(eq(subject, sql.placeholder('subject')), lte(dueAt, now))),
  )
  const later = prepared(
    db,
    callbackQueue,
    db
      .select()
      .from(callbackQueue)
      .where(and(gt(dueAt, sql.placeholder('then')), isToBeSent)),
  )
  const unfinished = prepared(
    db,
    callbackQueue,
    db.select().from(callbackQueue).where(isUnfinished),
  )
  return {
    ...dueIn(db),
    /** Where something is due that has changed since it was last looked, or was not due then: at first, all that is. */
    newlyDue: newlyDueIn(db),
    find: findBy(db, callbackQueue, subject),
    /** Where the first message of a resource is due. */
    laneOf: (subject: string, now: Instant): DeliveryLane | undefined =>
      lane.all({ subject, now }).flatMap(laneIn)[0],
    /** Resources whose first message is due after an instant. */
    dueAfter: (then: Instant) => later.all({ then }),
    /** Resources with messages that have not arrived, for the operator. */
    unfinished: () => unfinished.all(),
    unfinishedCount: countOf(db, callbackQueue, isUnfinished),
  }
}
