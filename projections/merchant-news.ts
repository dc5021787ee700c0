import { asc, desc, gt } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

/** Events shown to a merchant's staff on their next visit; captures are excluded. */
const newsEvents = [
  'PaymentRefunded',
  'PaymentDisputed',
  'CorrectionApproved',
  'DebtBilled',
  'PaymentAuthorizationExpired',
  'ReportClosed',
  'SettlementMade',
  'PayoutOrdered',
  'PayoutPaid',
  'PayoutReturned',
  'DestinationRested',
  'DestinationWoken',
  'EventDestinationRegistered',
  'EventDestinationChanged',
  'EventDestinationRemoved',
  'StaffInvited',
  'StaffJoined',
  'StaffRoleChanged',
  'StaffRemoved',
  'StaffLeft',
  'UserRegistered',
  'UserChanged',
  'UserRemoved',
  'UserDisabled',
  'UserEnabled',
  'ApplicationRegistered',
  'ApplicationChanged',
  'ApplicationRemoved',
  'SettlementAccountRegistered',
  'SettlementAccountChanged',
  'MerchantRegistered',
  'MerchantChanged',
  'MerchantDisabled',
  'MerchantEnabled',
  'PosRegistered',
  'PosChanged',
  'PosRemoved',
  'FeesScheduled',
] as const

const merchantNews = sqliteTable(
  'merchant_news',
  {
    position: integer().primaryKey(),
    merchant: text().notNull(),
    type: text().notNull(),
    stream: text().notNull(),
    actor: text().notNull(),
    at: integer().notNull(),
  },
  (row) => [index('merchant_news_by_merchant').on(row.merchant, row.position)],
)

export const merchantNewsProjection = projection({
  table: merchantNews,
  isAppended: true,
  handles: newsEvents,
  begins: newsEvents,
  // What is booked for an invoice is told with the invoice.
  keysOf: ({ position, metadata, type, data }) =>
    metadata.merchant === null || (type === 'CorrectionApproved' && data.invoice !== undefined)
      ? []
      : [position],
  apply: (_, { position, type, stream, metadata: { merchant, actor, at } }) => ({
    position,
    type,
    stream,
    actor,
    at,
    merchant: merchant ?? '',
  }),
})

export const merchantNewsQueries = (db: BetterSQLite3Database) => {
  const { merchant, position } = merchantNews
  const after = rowsOf(db, merchantNews, {
    where: [same(merchant), gt(position, param('after'))],
    order: [desc(position)],
    limit: param('limit'),
  })
  const behind = rowsOf(db, merchantNews, {
    where: [gt(position, param('after'))],
    order: [asc(position)],
    limit: param('limit'),
  })
  const newest = rowsOf(db, merchantNews, { order: [desc(position)], limit: 1 })
  return {
    /** Of all merchants, oldest first. */
    behind: (position: number, limit: number) => behind.all({ after: position, limit }),
    newest: (): number => newest.get()?.position ?? 0,
    /** Newest first. */
    after: (merchant: string, position: number, limit: number) =>
      after.all({ merchant, after: position, limit }),
  }
}
