import {
  accessTokenLifetime,
  refreshTokenEndsAt,
  type Permissions,
  type Revoker,
} from '../domain/people/grant.ts'
import type { Scope } from '../domain/people/scope.ts'
import { refuse } from '../domain/refusal.ts'
import { isDisabled, isEnabled } from '../domain/register.ts'
import { stillLasts, type Instant } from '../domain/time.ts'
import {
  applications,
  authorizations,
  grants,
  merchants,
  payers,
  payments,
  permissionRequests,
} from '../domain/aggregates.ts'
import type { Position } from './event-store.ts'
import type { Context, Deciding } from './handle.ts'
import type { Find } from './find-state.ts'
import { issueTokens, type Tokens } from './tokens.ts'

type TokenRow = {
  readonly grant: string
  readonly generation: number
  readonly scope: readonly Scope[]
  readonly issuedAt: Instant
  readonly expiresAt: Instant
  /** Thumbprint of the key that it is bound to. */
  readonly jkt: string | null
}

type GrantRow = {
  readonly grant: string
  readonly payer: string
  readonly merchant: string
  readonly client: string
  readonly isRevoked: boolean
}

export type PlacedGrant = GrantRow & { readonly position: Position }

export type GrantRows = {
  findAccess(hash: string): TokenRow | undefined
  findRefresh(hash: string): TokenRow | undefined
  find(grant: string): GrantRow | undefined
  /** Grants not withdrawn, newest first. */
  ofPayer(payer: string, before: Position, limit: number): readonly PlacedGrant[]
  ofClient(payer: string, client: string, before: Position, limit: number): readonly PlacedGrant[]
}

export type Needs = Deciding & {
  readonly tokens: Tokens
  readonly rows: GrantRows
  readonly caughtUp: () => Promise<void>
}

export type LiveToken = TokenRow & GrantRow

/**
 * Whether it is not revoked, the payer exists, and merchant and client are enabled. A merchant is
 * its own client.
 */
const stands = async (find: Find, { isRevoked, payer, client, merchant }: GrantRow) =>
  !isRevoked &&
  (await find(payers, payer)).status === 'present' &&
  !isDisabled(await find(merchants, merchant)) &&
  (client === merchant || isEnabled(await find(applications, client)))

export const findLiveToken =
  ({ find, tokens, rows, caughtUp }: Omit<Needs, 'handle'>) =>
  async (token: string, at: Instant): Promise<LiveToken | undefined> => {
    await caughtUp()
    const row = rows.findAccess(tokens.digest(token))
    const granted = row && rows.find(row.grant)
    const isOver = row && !stillLasts(row.expiresAt, accessTokenLifetime, at)
    if (!granted || isOver || !(await stands(find, granted))) return undefined
    return { ...granted, ...row }
  }

/** Used refresh tokens are not live. */
export const findLiveRefreshToken =
  ({ find, tokens, rows, caughtUp }: Omit<Needs, 'handle'>) =>
  async (token: string, at: Instant): Promise<LiveToken | undefined> => {
    await caughtUp()
    const row = rows.findRefresh(tokens.digest(token))
    const granted = row && rows.find(row.grant)
    if (!granted || at >= refreshTokenEndsAt(row) || !(await stands(find, granted)))
      return undefined
    if ((await find(grants, row.grant, 'log')).generation !== row.generation) return undefined
    return { ...granted, ...row, expiresAt: refreshTokenEndsAt(row) }
  }

/** The grant of any token, live or not. */
export const findGrantOf =
  ({ tokens, rows, caughtUp }: Pick<Needs, 'tokens' | 'rows' | 'caughtUp'>) =>
  async (token: string): Promise<GrantRow | undefined> => {
    await caughtUp()
    const hash = tokens.digest(token)
    const row = rows.findAccess(hash) ?? rows.findRefresh(hash)
    return row && rows.find(row.grant)
  }

type FirstGranted = { readonly permissions: Permissions; readonly signedInAt: Instant | null }

/** Reads the original grant from its stream; another process may have written it. */
const grantedIn =
  (find: Find) =>
  async (grant: string): Promise<FirstGranted> => {
    const [category = '', id = ''] = /^([a-z_]+)-(.*)$/.exec(grant)?.slice(1) ?? []
    let signedInAt: Instant | null = null
    const found = await {
      [payments.category]: async () => {
        const payment = await find(payments, id, 'log')
        return payment.status === 'unrequested' ? null : payment.permissions
      },
      [permissionRequests.category]: async () => {
        const permission = await find(permissionRequests, id, 'log')
        return permission.status === 'unrequested' ? null : permission.permissions
      },
      [authorizations.category]: async () => {
        const authorization = await find(authorizations, id, 'log')
        if (authorization.status === 'unrequested') return null
        signedInAt = authorization.signedInAt
        return authorization.permissions
      },
    }[category]?.()
    return found ? { permissions: found, signedInAt } : refuse('grant_is_revoked')
  }

export type Refreshed = {
  readonly grant: GrantRow
  readonly generation: number
  readonly permissions: Permissions
  /** Null if no application was granted anything. */
  readonly signedInAt: Instant | null
}

type Refreshing = {
  readonly id: string
  readonly isPublic: boolean
  /** Thumbprint of the key the client proved. */
  readonly jkt: string | undefined
}

/**
 * Exchanges a refresh token; one of a public client stays bound to its key (RFC 9449, 5).
 * @throws Refusal grant_is_revoked, grant_is_expired, scope_is_too_wide,
 * token_is_bound_to_another_key
 */
export const refreshGrant =
  ({ handle, find, tokens, rows, caughtUp }: Needs) =>
  async (
    refreshToken: string,
    { id: client, isPublic, jkt }: Refreshing,
    scope: readonly Scope[] | null,
    context: Context,
  ): Promise<Refreshed> => {
    await caughtUp()
    const row = rows.findRefresh(tokens.digest(refreshToken))
    const granted = row && rows.find(row.grant)
    if (!granted || granted.client !== client) return refuse('grant_is_revoked')
    if ((await find(payers, granted.payer)).status !== 'present') return refuse('grant_is_revoked')
    if (isPublic && row.jkt !== null && row.jkt !== jkt)
      return refuse('token_is_bound_to_another_key')
    const { grant, generation: presented } = row
    const { at } = context
    const { permissions, signedInAt } = await grantedIn(find)(grant)
    const { state } = await handle(
      grants,
      grant,
      {
        type: 'RefreshGrant',
        at,
        granted: permissions,
        presented,
        scope,
        next: issueTokens(tokens, grant, presented + 1, at, jkt),
      },
      { ...context, merchant: granted.merchant },
    )
    const { latest, generation, revokedBy } = state
    if (revokedBy !== null || !latest || generation !== presented + 1)
      return refuse('grant_is_revoked')
    return { grant: granted, generation, permissions: latest, signedInAt }
  }

export const revokeGrant =
  ({ handle, rows, caughtUp }: WithdrawalNeeds) =>
  async (grant: string, by: Revoker, context: Context): Promise<void> => {
    await caughtUp()
    const merchant = rows.find(grant)?.merchant ?? context.merchant
    await handle(grants, grant, { type: 'RevokeGrant', by }, { ...context, merchant })
  }

export const batchSize = 100

export type WithdrawalNeeds = Pick<Needs, 'handle' | 'rows' | 'caughtUp'>

/** Revokes all listed grants. */
export const withdrawEach = async (
  needs: WithdrawalNeeds,
  list: (before: Position, limit: number) => readonly PlacedGrant[],
  by: Revoker,
  context: Context,
): Promise<void> => {
  await needs.caughtUp()
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const batch = list(before, batchSize)
    await Promise.all(batch.map(({ grant }) => revokeGrant(needs)(grant, by, context)))
    if (batch.length < batchSize) return
    before = batch.at(-1)?.position ?? before
  }
}

/** Revokes every grant of a payer to one client. */
export const withdrawConsent =
  (needs: WithdrawalNeeds) =>
  (payer: string, client: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofClient(payer, client, before, limit),
      'payer',
      context,
    )

/** Revokes every grant of a payer. */
export const withdrawAll =
  (needs: WithdrawalNeeds) =>
  (payer: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofPayer(payer, before, limit),
      'operator',
      context,
    )
