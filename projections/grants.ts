import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import type { Permissions } from '../domain/people/grant.ts'
import type { Scope } from '../domain/people/scope.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Said as the index says it. */
const stands = sql`isRevoked = 0`

/** What payers have granted to merchants: who knows what since when, and until when. */
const grantedPermissions = sqliteTable(
  'granted_permissions',
  {
    /** The stream in which the payer granted it. */
    grant: text().primaryKey(),
    position: integer().notNull(),
    payer: text().notNull(),
    merchant: text().notNull(),
    /** The client that holds the tokens: an application, or the merchant itself. */
    client: text().notNull(),
    scope: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
    grantedAt: integer().notNull(),
    isRevoked: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [index('granted_permissions_by_payer').on(row.payer, row.position).where(stands)],
)

export type GrantedPermission = typeof grantedPermissions.$inferSelect

const tokenColumns = {
  hash: text().primaryKey(),
  grant: text().notNull(),
  generation: integer().notNull(),
  scope: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
  issuedAt: integer().notNull(),
  expiresAt: integer().notNull(),
}
const accessTokens = sqliteTable('access_tokens', tokenColumns)
const refreshTokens = sqliteTable('refresh_tokens', tokenColumns)

const grantingTypes = ['PaymentAuthorized', 'PermissionGranted', 'CodeRedeemed'] as const
type Granting = Recorded<Extract<DomainEvent, { type: (typeof grantingTypes)[number] }>>
type Issuing = Granting | Recorded<Extract<DomainEvent, { type: 'GrantRefreshed' }>>

const issuedIn = (
  event: Issuing,
): (Permissions & { readonly grant: string; readonly generation: number }) | undefined => {
  if (event.type === 'GrantRefreshed') return { ...event.data, grant: idIn(event.stream) }
  const { permissions } = event.data
  return permissions && { ...permissions, grant: event.stream, generation: 0 }
}

const tokenProjection = (
  table: typeof accessTokens | typeof refreshTokens,
  kind: 'accessHash' | 'refreshHash',
) =>
  projection({
    table,
    key: table.hash,
    handles: [...grantingTypes, 'GrantRefreshed'],
    begins: [...grantingTypes, 'GrantRefreshed'],
    keysOf: (event) => {
      const issued = issuedIn(event)
      return issued ? [issued.tokens[kind]] : []
    },
    apply: (_, event) => {
      const issued = issuedIn(event)
      if (!issued) return undefined
      const { grant, generation, scope, tokens } = issued
      const { issuedAt, expiresAt } = tokens
      return { hash: tokens[kind], grant, generation, scope, issuedAt, expiresAt }
    },
  })

export const accessTokenProjection = tokenProjection(accessTokens, 'accessHash')
export const refreshTokenProjection = tokenProjection(refreshTokens, 'refreshHash')

export const grantProjection = projection({
  table: grantedPermissions,
  key: grantedPermissions.grant,
  handles: [...grantingTypes, 'GrantRevoked'],
  begins: grantingTypes,
  keyOf: (event) => (event.type === 'GrantRevoked' ? idIn(event.stream) : event.stream),
  apply: (row, event) => {
    const { stream: grant, position, metadata } = event
    if (event.type === 'GrantRevoked') return row && { ...row, isRevoked: true }
    const { permissions, payer } = event.data
    if (!permissions) return row
    // A merchant is a client of its own, with its merchant id as client id.
    const merchant = metadata.merchant ?? ''
    const client = event.type === 'CodeRedeemed' ? event.data.client : merchant
    const { scope } = permissions
    const { issuedAt: grantedAt } = permissions.tokens
    return { grant, position, payer, merchant, client, scope, grantedAt, isRevoked: false }
  },
})

export const grantQueries = (db: BetterSQLite3Database) => {
  const ofPayer = prepared(
    db,
    grantedPermissions,
    db
      .select()
      .from(grantedPermissions)
      .where(
        and(
          eq(grantedPermissions.payer, sql.placeholder('payer')),
          stands,
          lt(grantedPermissions.position, sql.placeholder('before')),
        ),
      )
      .orderBy(desc(grantedPermissions.position))
      .limit(sql.placeholder('limit')),
  )
  return {
    findAccess: findBy(db, accessTokens, accessTokens.hash),
    findRefresh: findBy(db, refreshTokens, refreshTokens.hash),
    find: findBy(db, grantedPermissions, grantedPermissions.grant),
    /** What a payer has granted and nobody has ended, newest first. */
    ofPayer: (payer: string, before: number, limit: number) =>
      ofPayer.all({ payer, before, limit }),
  }
}
