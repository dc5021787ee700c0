import { asc, desc, lt, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import { isWithdrawal, type Permissions } from '../domain/people/grant.ts'
import { scopes, type Scope } from '../domain/people/scope.ts'
import { idIn } from '../domain/stream.ts'
import { columnsOf, findBy, param, rowsOf, same } from './prepared.ts'
import { projection } from './projection.ts'

export const tokenColumns = {
  hash: text().primaryKey(),
  grant: text().notNull(),
  generation: integer().notNull(),
  scope: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
  issuedAt: integer().notNull(),
  expiresAt: integer().notNull(),
  /** Thumbprint of the key that it is bound to. */
  jkt: text(),
}

export const accessTokens = sqliteTable('access_tokens', tokenColumns)

export const refreshTokens = sqliteTable('refresh_tokens', tokenColumns)

export const grantingTypes = ['PaymentAuthorized', 'PermissionGranted', 'CodeRedeemed'] as const

export type Granting = Recorded<Extract<DomainEvent, { type: (typeof grantingTypes)[number] }>>

export type Issuing = Granting | Recorded<Extract<DomainEvent, { type: 'GrantRefreshed' }>>

export const issuedIn = (
  event: Issuing,
): (Permissions & { readonly grant: string; readonly generation: number }) | undefined => {
  if (event.type === 'GrantRefreshed') return { ...event.data, grant: idIn(event.stream) }
  const { permissions } = event.data
  return permissions && { ...permissions, grant: event.stream, generation: 0 }
}

export const tokenProjection = (
  table: typeof accessTokens | typeof refreshTokens,
  kind: 'accessHash' | 'refreshHash',
) =>
  projection({
    table,
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
      const { issuedAt, expiresAt, jkt = null } = tokens
      return { hash: tokens[kind], grant, generation, scope, issuedAt, expiresAt, jkt }
    },
  })

export const accessTokenProjection = tokenProjection(accessTokens, 'accessHash')

export const refreshTokenProjection = tokenProjection(refreshTokens, 'refreshHash')

/** Must be written exactly like the index condition. */
const stands = sql`isWithdrawn = 0`

const isAnswer = sql`isAnswer = 1`

/** Scopes granted by payers to merchants. */
const grantedPermissions = sqliteTable(
  'granted_permissions',
  {
    /** Stream of the granting request. */
    grant: text().primaryKey(),
    position: integer().notNull(),
    payer: text().notNull(),
    merchant: text().notNull(),
    /** An application, or the merchant itself. */
    client: text().notNull(),
    scope: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
    grantedAt: integer().notNull(),
    /** Its tokens are no longer valid. */
    isRevoked: integer({ mode: 'boolean' }).notNull(),
    /** Withdrawn by the payer, or by the operator on the payer's behalf. */
    isWithdrawn: integer({ mode: 'boolean' }).notNull(),
    /** The answer to an application's request; false for standing consents. */
    isAnswer: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [
    index('granted_permissions_by_payer').on(row.payer, row.position).where(stands),
    index('granted_permissions_answered').on(row.payer, row.position).where(isAnswer),
    index('granted_permissions_by_client').on(row.payer, row.client, row.position).where(stands),
  ],
)

export type GrantedPermission = typeof grantedPermissions.$inferSelect

/** Everything that a payer granted to a client. */
export type StandingConsent = Pick<GrantedPermission, 'client' | 'merchant' | 'scope'> & {
  /** Time of the first grant. */
  readonly grantedAt: number
  /** Position of the last grant. */
  readonly position: number
}

/** Includes the consent, so that a withdrawal before the tokens are issued counts. */
const consentTypes = [...grantingTypes, 'AuthorizationAllowed'] as const

type Granted = Pick<GrantedPermission, 'client' | 'scope' | 'grantedAt'>

const grantedIn = (
  event: Granting | Recorded<Extract<DomainEvent, { type: 'AuthorizationAllowed' }>>,
): Granted | undefined => {
  if (event.type === 'AuthorizationAllowed') {
    const { client, scope } = event.data
    return client === undefined ? undefined : { client, scope, grantedAt: event.metadata.at }
  }
  const { permissions } = event.data
  if (!permissions) return undefined
  // A merchant is its own client.
  const client = event.type === 'CodeRedeemed' ? event.data.client : (event.metadata.merchant ?? '')
  return { client, scope: permissions.scope, grantedAt: permissions.tokens.issuedAt }
}

export const grantProjection = projection({
  table: grantedPermissions,
  handles: [...consentTypes, 'GrantRevoked'],
  // `CodeRedeemed` follows the consent.
  begins: ['PaymentAuthorized', 'PermissionGranted', 'AuthorizationAllowed'],
  keyOf: (event) => (event.type === 'GrantRevoked' ? idIn(event.stream) : event.stream),
  apply: (row, event) => {
    const { stream: grant, position, metadata } = event
    if (event.type === 'GrantRevoked') {
      const isWithdrawn = isWithdrawal(event.data.by)
      return row && { ...row, isRevoked: true, isWithdrawn: row.isWithdrawn || isWithdrawn }
    }
    const granted = grantedIn(event)
    if (row || !granted) return row
    const about = { grant, position, payer: event.data.payer, merchant: metadata.merchant ?? '' }
    const isAnswer =
      event.type === 'CodeRedeemed' ||
      (event.type === 'AuthorizationAllowed' && !event.data.isStanding)
    return { ...about, ...granted, isRevoked: false, isWithdrawn: false, isAnswer }
  },
})

/** No newer grant of the payer to the client exists. */
const isNewest = sql`NOT EXISTS (SELECT 1 FROM granted_permissions AS newer
  WHERE newer.payer = ${grantedPermissions.payer} AND newer.client = ${grantedPermissions.client}
  AND newer.isWithdrawn = 0 AND newer.position > ${grantedPermissions.position})`

/** Long because it prepares every query of grants, each of a few lines. */
export const grantQueries = (db: BetterSQLite3Database) => {
  const isPayers = same(grantedPermissions.payer)
  const isClients = same(grantedPermissions.client)
  const isBefore = lt(grantedPermissions.position, param('before'))
  const page = (...conditions: readonly SQL[]) =>
    rowsOf(db, grantedPermissions, {
      where: [isPayers, ...conditions, stands, isBefore],
      order: [desc(grantedPermissions.position)],
      limit: param('limit'),
    })
  const newest = page(isNewest)
  const ofPayer = page()
  const ofClient = page(isClients)
  const answers = rowsOf(db, grantedPermissions, {
    where: [isPayers, isAnswer, isBefore],
    order: [desc(grantedPermissions.position)],
    limit: param('limit'),
  })
  const ofClientFirst = rowsOf(db, grantedPermissions, {
    where: [isPayers, isClients, stands],
    order: [asc(grantedPermissions.position)],
    limit: 1,
  })
  const { scope } = grantedPermissions
  const scopesOfClient = columnsOf(db, grantedPermissions, {
    columns: { scope },
    where: [isPayers, isClients, stands],
    isDistinct: true,
  })

  const consentOf = ({ payer, client, merchant, position }: GrantedPermission): StandingConsent => {
    const granted = scopesOfClient.all({ payer, client }).flatMap(({ scope }) => scope)
    const grantedAt = ofClientFirst.get({ payer, client })?.grantedAt ?? 0
    const scope = scopes.filter((name) => granted.includes(name))
    return { client, merchant, position, grantedAt, scope }
  }

  return {
    findAccess: findBy(db, accessTokens, accessTokens.hash),
    findRefresh: findBy(db, refreshTokens, refreshTokens.hash),
    find: findBy(db, grantedPermissions, grantedPermissions.grant),
    /** Grants not withdrawn, newest first. */
    ofPayer: (payer: string, before: number, limit: number) =>
      ofPayer.all({ payer, before, limit }),
    ofClient: (payer: string, client: string, before: number, limit: number) =>
      ofClient.all({ payer, client, before, limit }),
    /** Answers to applications, including withdrawn ones, newest first. */
    answers: (payer: string, before: number, limit: number) =>
      answers.all({ payer, before, limit }),
    /** Clients with a grant, without duplicates, latest first. */
    consents: (payer: string, before: number, limit: number): readonly StandingConsent[] =>
      newest.all({ payer, before, limit }).map(consentOf),
    consent: (payer: string, client: string): StandingConsent | undefined => {
      const [found] = ofClient.all({ payer, client, before: Number.MAX_SAFE_INTEGER, limit: 1 })
      return found && consentOf(found)
    },
  }
}
