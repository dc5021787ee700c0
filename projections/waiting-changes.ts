import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { RequestedAccountChange } from '../domain/accounting/settlement-account.ts'
import { idIn } from '../domain/stream.ts'
import { dueBy, nextBy, findBy } from './prepared.ts'
import { projection } from './projection.ts'
import type { RequestedOwnerChange } from '../domain/merchant/staff.ts'

/** Owners that are to lose their role; at most one per merchant. */
export const ownerChanges = sqliteTable(
  'owner_changes',
  {
    merchant: text().primaryKey(),
    takesEffectAt: integer().notNull(),
    asked: text({ mode: 'json' }).$type<RequestedOwnerChange>().notNull(),
  },
  (row) => [index('owner_changes_by_time').on(row.takesEffectAt)],
)

export const ownerChangeProjection = projection({
  table: ownerChanges,
  handles: ['OwnerChangeAsked', 'OwnerChangeWithdrawn', 'OwnerChangeDone'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (_, { type, data }, key) => {
    if (type !== 'OwnerChangeAsked') return undefined
    const { takesEffectAt } = data
    return { merchant: String(key), takesEffectAt, asked: data }
  },
})

export const ownerChangeQueries = (db: BetterSQLite3Database) => ({
  find: findBy(db, ownerChanges, ownerChanges.merchant),
  due: dueBy(db, ownerChanges, ownerChanges.takesEffectAt),
  nextDue: nextBy(db, ownerChanges, ownerChanges.takesEffectAt),
})

/** Pending changes of settlement accounts; at most one per merchant. */
export const accountChanges = sqliteTable(
  'account_changes',
  {
    merchant: text().primaryKey(),
    askedAt: integer().notNull(),
    takesEffectAt: integer().notNull(),
    asked: text({ mode: 'json' }).$type<RequestedAccountChange>().notNull(),
  },
  (row) => [index('account_changes_by_time').on(row.takesEffectAt)],
)

export const accountChangeProjection = projection({
  table: accountChanges,
  handles: ['AccountChangeAsked', 'AccountChangeWithdrawn', 'AccountChangeDone'],
  keyOf: ({ stream }) => idIn(stream),
  apply: (_, { type, data, metadata }, key) => {
    if (type !== 'AccountChangeAsked') return undefined
    const { takesEffectAt } = data
    return { merchant: String(key), askedAt: metadata.at, takesEffectAt, asked: data }
  },
})

export const accountChangeQueries = (db: BetterSQLite3Database) => ({
  find: findBy(db, accountChanges, accountChanges.merchant),
  due: dueBy(db, accountChanges, accountChanges.takesEffectAt),
  nextDue: nextBy(db, accountChanges, accountChanges.takesEffectAt),
})
