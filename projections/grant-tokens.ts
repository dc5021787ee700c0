import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { DomainEvent, Recorded } from '../domain/events.ts'
import type { Permissions } from '../domain/people/grant.ts'
import type { Scope } from '../domain/people/scope.ts'
import { idIn } from '../domain/stream.ts'
import { projection } from './projection.ts'

const tokenColumns = {
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
