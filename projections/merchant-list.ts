import { and, desc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { idIn } from '../domain/stream.ts'
import { countOf, given, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'

/** Narrow, so that ten thousand merchants are looked through at once. */
const merchantList = sqliteTable(
  'merchant_list',
  {
    merchant: text().primaryKey(),
    /** Position of the registration: the newest come first. */
    position: integer().notNull(),
    name: text().notNull(),
    organizationId: text(),
    currency: text().notNull(),
    /** What somebody may look for, in small letters. */
    searched: text().notNull(),
    isDisabled: integer({ mode: 'boolean' }).notNull(),
    hasSignedUp: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [
    index('merchant_list_by_position').on(row.position),
    index('merchant_list_disabled')
      .on(row.position)
      .where(sql`isDisabled`),
  ],
)

export type ListedMerchant = typeof merchantList.$inferSelect

/** As names are compared: composed, in small letters. */
const plain = (given: string): string => given.normalize('NFC').toLowerCase()

const told = ({ id, businessName, organizationId, currency, ...rest }: MerchantData) => ({
  ...{ merchant: id, name: businessName, organizationId, currency },
  searched: plain([id, businessName, organizationId ?? '', ...rest.lookupIds].join('\n')),
  hasSignedUp: rest.hasSignedUp === true,
})

export const merchantListProjection = projection({
  table: merchantList,
  key: merchantList.merchant,
  handles: [
    'MerchantRegistered',
    'MerchantChanged',
    'MerchantDisabled',
    'MerchantEnabled',
    'MerchantRemoved',
  ],
  keyOf: ({ stream }) => idIn(stream),
  apply: (row, event) => {
    switch (event.type) {
      case 'MerchantRegistered':
        return { ...told(event.data), position: event.position, isDisabled: false }
      case 'MerchantChanged':
        return row && { ...row, ...told(event.data) }
      case 'MerchantDisabled':
      case 'MerchantEnabled':
        return row && { ...row, isDisabled: event.type === 'MerchantDisabled' }
      case 'MerchantRemoved':
        return undefined
    }
  },
})

export const merchantStates = ['all', 'waiting', 'disabled'] as const

/** Whoever has signed up waits until somebody enables it. */
export type MerchantState = (typeof merchantStates)[number]

export const merchantListQueries = (db: BetterSQLite3Database) => {
  const { position, isDisabled, hasSignedUp, searched } = merchantList
  const waits = and(eq(isDisabled, true), eq(hasSignedUp, true)) as SQL
  const conditions: Readonly<Record<MerchantState, SQL | undefined>> = {
    all: undefined,
    waiting: waits,
    disabled: and(eq(isDisabled, true), eq(hasSignedUp, false)),
  }
  const pageOf = (condition: SQL | undefined) =>
    rowsOf(db, merchantList, {
      where: [
        lt(position, given('before')),
        sql`instr(${searched}, ${given('part')}) > 0`,
        condition,
      ],
      order: [desc(position)],
      limit: given('limit'),
    })
  const pages = {
    all: pageOf(conditions.all),
    waiting: pageOf(conditions.waiting),
    disabled: pageOf(conditions.disabled),
  }
  return {
    /** Of those whose name, id or number has this part, the newest first. */
    page: (
      { state, part }: { readonly state: MerchantState; readonly part: string },
      before: number,
      limit: number,
    ): readonly ListedMerchant[] => pages[state].all({ part: plain(part), before, limit }),
    count: countOf(db, merchantList, sql`true`),
    waitingCount: countOf(db, merchantList, waits),
    disabledCount: countOf(db, merchantList, conditions.disabled as SQL),
  }
}
