import {
  accessTokenLifetime,
  refreshTokenEndsAt,
  type IssuedTokens,
  type Permissions,
  type Revoker,
} from '../domain/people/grant.ts'
import type { Scope } from '../domain/people/scope.ts'
import { refuse } from '../domain/refusal.ts'
import { stillLasts, type Instant } from '../domain/time.ts'
import {
  applications,
  authorizations,
  grants,
  payers,
  payments,
  permissionRequests,
} from '../domain/aggregates.ts'
import type { Position } from './event-store.ts'
import type { Context, Find, Handle } from './handle.ts'

/**
 * Tokens are derived with a secret key from the grant and its generation, so that they can be shown again although only
 * their hashes are stored. A grant is named by the stream in which the payer granted it.
 */
export type Tokens = {
  access(grant: string, generation: number): string
  refresh(grant: string, generation: number): string
  code(authorization: string): string
  /** SHA-256: what is stored. */
  digest(token: string): string
}

export const issueTokens = (
  tokens: Tokens,
  grant: string,
  generation: number,
  at: Instant,
): IssuedTokens => {
  const issuedAt = Math.floor(at / 1000) * 1000
  return {
    accessHash: tokens.digest(tokens.access(grant, generation)),
    refreshHash: tokens.digest(tokens.refresh(grant, generation)),
    issuedAt,
    expiresAt: issuedAt + accessTokenLifetime * 1000,
  }
}

type TokenRow = {
  readonly grant: string
  readonly generation: number
  readonly scope: readonly Scope[]
  readonly issuedAt: Instant
  readonly expiresAt: Instant
}

type GrantRow = {
  readonly grant: string
  readonly payer: string
  readonly merchant: string
  readonly client: string
  readonly isRevoked: boolean
}

type PlacedGrant = GrantRow & { readonly position: Position }

export type GrantRows = {
  findAccess(hash: string): TokenRow | undefined
  findRefresh(hash: string): TokenRow | undefined
  find(grant: string): GrantRow | undefined
  /** What a payer has granted and not taken back, newest first. */
  ofPayer(payer: string, before: Position, limit: number): readonly PlacedGrant[]
  /** The same of what they have granted to one client. */
  ofClient(payer: string, client: string, before: Position, limit: number): readonly PlacedGrant[]
}

export type Needs = {
  readonly handle: Handle
  readonly find: Find
  readonly tokens: Tokens
  readonly rows: GrantRows
  readonly caughtUp: () => Promise<void>
}

export type LiveToken = TokenRow & GrantRow

/** Whether a grant stands: not taken back, of a payer who is there, to a client that is. A merchant is one by itself. */
const stands = async (find: Find, { isRevoked, payer, client, merchant }: GrantRow) =>
  !isRevoked &&
  (await find(payers, payer)).status === 'present' &&
  (client === merchant || (await find(applications, client)).status === 'present')

/** The grant behind an access token that is good now. */
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

/** The grant behind a refresh token that can be used now, which one that was used up cannot. */
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

type FirstGranted = { readonly permissions: Permissions; readonly signedInAt: Instant | null }

/** What a payer granted, as it stands in the stream of the request that they answered, perhaps to another process. */
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
  /** When the payer signed in who granted it to an application. */
  readonly signedInAt: Instant | null
}

/** Turns a refresh token into the next pair. @throws Refusal grant_is_revoked, grant_is_expired, scope_is_too_wide */
export const refreshGrant =
  ({ handle, find, tokens, rows, caughtUp }: Needs) =>
  async (
    refreshToken: string,
    client: string,
    scope: readonly Scope[] | null,
    context: Context,
  ): Promise<Refreshed> => {
    await caughtUp()
    const row = rows.findRefresh(tokens.digest(refreshToken))
    const granted = row && rows.find(row.grant)
    if (!granted || granted.client !== client) return refuse('grant_is_revoked')
    if ((await find(payers, granted.payer)).status !== 'present') return refuse('grant_is_revoked')
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
        next: issueTokens(tokens, grant, presented + 1, at),
      },
      { ...context, merchant: granted.merchant },
    )
    const { latest, generation, revokedBy } = state
    if (revokedBy !== null || !latest || generation !== presented + 1)
      return refuse('grant_is_revoked')
    return { grant: granted, generation, permissions: latest, signedInAt }
  }

/** Ends a grant with all its tokens. */
export const revokeGrant =
  ({ handle, rows, caughtUp }: Pick<Needs, 'handle' | 'rows' | 'caughtUp'>) =>
  async (grant: string, by: Revoker, context: Context): Promise<void> => {
    await caughtUp()
    const merchant = rows.find(grant)?.merchant ?? context.merchant
    await handle(grants, grant, { type: 'RevokeGrant', by }, { ...context, merchant })
  }

const atOnce = 100

type WithdrawalNeeds = Pick<Needs, 'handle' | 'rows' | 'caughtUp'>

/** Takes back all that is listed, with every token that came of it. */
const withdrawEach = async (
  needs: WithdrawalNeeds,
  list: (before: Position, limit: number) => readonly PlacedGrant[],
  by: Revoker,
  context: Context,
): Promise<void> => {
  await needs.caughtUp()
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const some = list(before, atOnce)
    await Promise.all(some.map(({ grant }) => revokeGrant(needs)(grant, by, context)))
    if (some.length < atOnce) return
    before = some.at(-1)?.position ?? before
  }
}

/** Ends the consent of a payer to a client: all that they have granted to it, whenever that was. */
export const withdrawConsent =
  (needs: WithdrawalNeeds) =>
  (payer: string, client: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofClient(payer, client, before, limit),
      'payer',
      context,
    )

/** Ends all that a payer has granted to anybody. */
export const withdrawAll =
  (needs: WithdrawalNeeds) =>
  (payer: string, context: Context): Promise<void> =>
    withdrawEach(
      needs,
      (before, limit) => needs.rows.ofPayer(payer, before, limit),
      'operator',
      context,
    )
