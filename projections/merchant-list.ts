import { and, desc, eq, lt, sql, type SQL, inArray } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { idIn } from '../domain/stream.ts'
import { countOf, findBy, param, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'
import { merchantRegister } from './registers.ts'

/** Merchants that have, or once had, an organisation number or secondary id. */
export const merchantLookups = sqliteTable(
  'merchant_lookups',
  {
    key: text().primaryKey(),
    lookupId: text().notNull(),
    stream: text().notNull(),
  },
  (row) => [index('merchant_lookups_by_id').on(row.lookupId)],
)

export const keyOf = (stream: string, lookupId: string): string => `${stream} ${lookupId}`

export const idsOf = ({ organizationId, lookupIds }: MerchantData): readonly string[] =>
  organizationId === null ? lookupIds : [organizationId, ...lookupIds]

export const merchantLookupProjection = projection({
  table: merchantLookups,
  handles: ['MerchantRegistered', 'MerchantChanged'],
  keysOf: ({ stream, data }) => [...new Set(idsOf(data).map((id) => keyOf(stream, id)))],
  apply: (row, { stream, data }, key) => {
    const lookupId = idsOf(data).find((id) => keyOf(stream, id) === key)
    return row ?? (lookupId === undefined ? undefined : { key: String(key), lookupId, stream })
  },
})

/**
 * Finds a merchant by its current organisation number or secondary id; the one registered first if
 * several match.
 */
export const merchantLookupQuery = (db: BetterSQLite3Database) => {
  const { table } = merchantRegister.projection
  const lookupId = param('lookupId')
  const candidates = db
    .select({ stream: merchantLookups.stream })
    .from(merchantLookups)
    .where(eq(merchantLookups.lookupId, lookupId))
  const hasIt = sql`(json_extract(${table.data}, '$.organizationId') = ${lookupId} or exists (
    select 1 from json_each(${table.data}, '$.lookupIds') where value = ${lookupId}))`
  const find = rowsOf(db, table, {
    where: [inArray(table.stream, candidates), hasIt],
    order: [table.position],
    limit: 1,
  })
  return (id: string) => find.get({ lookupId: id })
}

/** Narrow, so that a search scans ten thousand merchants quickly. */
const merchantList = sqliteTable(
  'merchant_list',
  {
    merchant: text().primaryKey(),
    /** Position of the registration; the newest come first. */
    position: integer().notNull(),
    name: text().notNull(),
    organizationId: text(),
    currency: text().notNull(),
    /** Searchable text, in lower case. */
    searched: text().notNull(),
    isDisabled: integer({ mode: 'boolean' }).notNull(),
    hasSignedUp: integer({ mode: 'boolean' }).notNull(),
    waits: integer({ mode: 'boolean' }).notNull(),
    /** Why it was turned down, for its owners. */
    reason: text(),
    /** How often it was disabled or enabled. */
    switched: integer().notNull(),
  },
  (row) => [
    index('merchant_list_by_position').on(row.position),
    index('merchant_list_disabled')
      .on(row.position)
      .where(sql`isDisabled`),
  ],
)

export type ListedMerchant = typeof merchantList.$inferSelect

/** Normalises text for comparison: composed, in lower case. */
export const plain = (written: string): string => written.normalize('NFC').toLowerCase()

const columnsFor = ({ id, businessName, organizationId, currency, ...rest }: MerchantData) => ({
  merchant: id,
  name: businessName,
  organizationId,
  currency,
  searched: plain([id, businessName, organizationId ?? '', ...rest.lookupIds].join('\n')),
  hasSignedUp: rest.hasSignedUp === true,
})

const atFirst = { isDisabled: false, waits: false, reason: null, switched: 0 }

export const merchantListProjection = projection({
  table: merchantList,
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
        return { ...columnsFor(event.data), position: event.position, ...atFirst }
      case 'MerchantChanged':
        return row && { ...row, ...columnsFor(event.data) }
      case 'MerchantDisabled':
      case 'MerchantEnabled': {
        if (!row) return row
        const [isDisabled, switched] = [event.type === 'MerchantDisabled', row.switched + 1]
        const waits = isDisabled && row.hasSignedUp && switched === 1
        const reason = event.type === 'MerchantDisabled' ? (event.data.reason ?? null) : null
        return { ...row, isDisabled, switched, waits, reason }
      }
      case 'MerchantRemoved':
        return undefined
    }
  },
})

export const merchantStates = ['all', 'waiting', 'disabled'] as const

/** A merchant that signed up waits until it is approved or rejected. */
export type MerchantState = (typeof merchantStates)[number]

export const merchantListQueries = (db: BetterSQLite3Database) => {
  const { position, isDisabled, waits, searched } = merchantList
  // The index contains disabled merchants only.
  const isWaiting = and(eq(isDisabled, true), eq(waits, true)) as SQL
  const conditions: Readonly<Record<MerchantState, SQL | undefined>> = {
    all: undefined,
    waiting: isWaiting,
    disabled: and(eq(isDisabled, true), eq(waits, false)),
  }
  const pageOf = (condition: SQL | undefined) =>
    rowsOf(db, merchantList, {
      where: [
        lt(position, param('before')),
        sql`instr(${searched}, ${param('part')}) > 0`,
        condition,
      ],
      order: [desc(position)],
      limit: param('limit'),
    })
  const pages = {
    all: pageOf(conditions.all),
    waiting: pageOf(conditions.waiting),
    disabled: pageOf(conditions.disabled),
  }
  const row = findBy(db, merchantList, merchantList.merchant)
  return {
    /** Whether it waits for approval, or why it was turned down. */
    approvalOf: (merchant: string): Pick<ListedMerchant, 'waits' | 'reason'> =>
      row(merchant) ?? { waits: false, reason: null },
    /** Merchants whose name, id or number contains the text, newest first. */
    page: (
      { state, part }: { readonly state: MerchantState; readonly part: string },
      before: number,
      limit: number,
    ): readonly ListedMerchant[] => pages[state].all({ part: plain(part), before, limit }),
    count: countOf(db, merchantList, sql`true`),
    waitingCount: countOf(db, merchantList, isWaiting),
    disabledCount: countOf(db, merchantList, conditions.disabled as SQL),
  }
}
