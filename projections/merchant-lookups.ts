import { eq, inArray, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { MerchantData } from '../domain/merchant/merchant.ts'
import { given, rowsOf } from './prepared.ts'
import { projection } from './projection.ts'
import { merchantRegister } from './registers.ts'

/** Merchants that have, or once had, an organisation number or secondary id. */
const merchantLookups = sqliteTable(
  'merchant_lookups',
  {
    key: text().primaryKey(),
    lookupId: text().notNull(),
    stream: text().notNull(),
  },
  (row) => [index('merchant_lookups_by_id').on(row.lookupId)],
)

const keyOf = (stream: string, lookupId: string): string => `${stream} ${lookupId}`

const idsOf = ({ organizationId, lookupIds }: MerchantData): readonly string[] =>
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
  const lookupId = given('lookupId')
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
