import { and, asc, desc, eq, lt, sql, type SQL } from 'drizzle-orm'
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import { isWithdrawal, type Permissions } from '../domain/people/grant.ts'
import { scopes, type Scope } from '../domain/people/scope.ts'
import { idIn } from '../domain/stream.ts'
import { findBy, prepared } from './prepared.ts'
import { projection } from './projection.ts'

/** Said as the index says it. */
const stands = sql`isWithdrawn = 0`
const isAnswer = sql`isAnswer = 1`

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
    /** Its tokens are dead. */
    isRevoked: integer({ mode: 'boolean' }).notNull(),
    /** The payer has taken it back, or the operator has for them. */
    isWithdrawn: integer({ mode: 'boolean' }).notNull(),
    /** The payer was asked by an application: what an earlier consent covers is no answer of theirs. */
    isAnswer: integer({ mode: 'boolean' }).notNull(),
  },
  (row) => [
    index('granted_permissions_by_payer').on(row.payer, row.position).where(stands),
    index('granted_permissions_answered').on(row.payer, row.position).where(isAnswer),
    index('granted_permissions_by_client').on(row.payer, row.client, row.position).where(stands),
  ],
)

export type GrantedPermission = typeof grantedPermissions.$inferSelect

/** All that a payer lets a client know, whenever they granted it. */
export type StandingConsent = Pick<GrantedPermission, 'client' | 'merchant' | 'scope'> & {
  /** When the first of it was granted. */
  readonly grantedAt: number
  /** Of the last of it in the log. */
  readonly position: number
}

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

/** From the consent on, before there are any tokens: what is withdrawn meanwhile gives none. */
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
  // A merchant is a client of its own, with its merchant id as client id.
  const client = event.type === 'CodeRedeemed' ? event.data.client : (event.metadata.merchant ?? '')
  return { client, scope: permissions.scope, grantedAt: permissions.tokens.issuedAt }
}

export const grantProjection = projection({
  table: grantedPermissions,
  key: grantedPermissions.grant,
  handles: [...consentTypes, 'GrantRevoked'],
  // A code is redeemed after the consent that it came of.
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

/** There is nothing newer of the same payer for the same client. */
const isNewest = sql`NOT EXISTS (SELECT 1 FROM granted_permissions AS newer
  WHERE newer.payer = ${grantedPermissions.payer} AND newer.client = ${grantedPermissions.client}
  AND newer.isWithdrawn = 0 AND newer.position > ${grantedPermissions.position})`

export const grantQueries = (db: BetterSQLite3Database) => {
  const isPayers = eq(grantedPermissions.payer, sql.placeholder('payer'))
  const isClients = eq(grantedPermissions.client, sql.placeholder('client'))
  const isBefore = lt(grantedPermissions.position, sql.placeholder('before'))
  const page = (...conditions: readonly SQL[]) =>
    prepared(
      db,
      grantedPermissions,
      db
        .select()
        .from(grantedPermissions)
        .where(and(isPayers, ...conditions, stands, isBefore))
        .orderBy(desc(grantedPermissions.position))
        .limit(sql.placeholder('limit')),
    )
  const newest = page(isNewest)
  const ofPayer = page()
  const ofClient = page(isClients)
  const answers = prepared(
    db,
    grantedPermissions,
    db
      .select()
      .from(grantedPermissions)
      .where(and(isPayers, isAnswer, isBefore))
      .orderBy(desc(grantedPermissions.position))
      .limit(sql.placeholder('limit')),
  )
  const ofClientFirst = prepared(
    db,
    grantedPermissions,
    db
      .select()
      .from(grantedPermissions)
      .where(and(isPayers, isClients, stands))
      .orderBy(asc(grantedPermissions.position))
      .limit(1),
  )
  const scopesOfClient = prepared(
    db,
    grantedPermissions,
    db
      .selectDistinct({ scope: grantedPermissions.scope })
      .from(grantedPermissions)
      .where(and(isPayers, isClients, stands)),
  )

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
    /** What a payer has granted and not taken back, newest first. */
    ofPayer: (payer: string, before: number, limit: number) =>
      ofPayer.all({ payer, before, limit }),
    /** The same of what they have granted to one client. */
    ofClient: (payer: string, client: string, before: number, limit: number) =>
      ofClient.all({ payer, client, before, limit }),
    /** What a payer has allowed applications when they asked, withdrawn since or not, newest first. */
    answers: (payer: string, before: number, limit: number) =>
      answers.all({ payer, before, limit }),
    /** The clients that a payer lets know something, each once; who was let know something last comes first. */
    consents: (payer: string, before: number, limit: number): readonly StandingConsent[] =>
      newest.all({ payer, before, limit }).map(consentOf),
    consent: (payer: string, client: string): StandingConsent | undefined => {
      const [found] = ofClient.all({ payer, client, before: Number.MAX_SAFE_INTEGER, limit: 1 })
      return found && consentOf(found)
    },
  }
}
