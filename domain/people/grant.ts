import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { instant, secondsAfter, stillLasts, type Instant, type Seconds } from '../time.ts'
import { isPartOf, scope, type Scope } from './scope.ts'

export const accessTokenLifetime: Seconds = 3600
/** Refresh tokens expire after half a year without use. */
const refreshTokenLifetime: Seconds = 15_552_000
/** Within this time a repeated refresh returns the same tokens (interface 11). */
const repeatWindow: Seconds = 60

/** Tokens are stored as SHA-256 only. */
const issuedTokens = z.object({
  accessHash: z.string(),
  refreshHash: z.string(),
  issuedAt: instant,
  expiresAt: instant,
  /** Thumbprint of the client's key that the tokens are bound to (RFC 9449, 6). */
  jkt: z.string().optional(),
})

/** Scope granted to a merchant, and the tokens issued for it. */
export const permissions = z.object({ scope: z.array(scope), tokens: issuedTokens })

export type IssuedTokens = z.output<typeof issuedTokens>

export const refreshTokenEndsAt = ({ issuedAt }: Pick<IssuedTokens, 'issuedAt'>): Instant =>
  secondsAfter(issuedAt, refreshTokenLifetime)

export type Permissions = z.output<typeof permissions>

const revokers = ['client', 'payer', 'refresh_reuse', 'code_reuse', 'operator'] as const
export type Revoker = (typeof revokers)[number]

/** Clients and detected theft revoke tokens only; the payer's consent remains. */
export const isWithdrawal = (by: Revoker): boolean => by === 'payer' || by === 'operator'

/**
 * Streams `grant-<stream of the granting request>`. The grant itself is generation 0; each refresh
 * adds one.
 */
export const grantEvents = {
  GrantRefreshed: z.object({ generation: z.int(), ...permissions.shape }),
  GrantRevoked: z.object({ by: z.enum(revokers) }),
} as const

type GrantEvent = EventsOf<typeof grantEvents>

type GrantCommand =
  | {
      readonly type: 'RefreshGrant'
      readonly at: Instant
      readonly granted: Permissions
      /** Generation of the presented refresh token. */
      readonly presented: number
      /** Null keeps the scope. */
      readonly scope: readonly Scope[] | null
      readonly next: IssuedTokens
    }
  | { readonly type: 'RevokeGrant'; readonly by: Revoker }

type Grant = {
  readonly generation: number
  /** Null for generation 0. */
  readonly latest: Permissions | null
  readonly revokedBy: Revoker | null
}

const decideRefresh = (
  command: Extract<GrantCommand, { type: 'RefreshGrant' }>,
  grant: Grant,
): readonly GrantEvent[] => {
  const { at, granted, presented, next, scope } = command
  const { tokens } = grant.latest ?? granted
  if (grant.revokedBy !== null) return refuse('grant_is_revoked')
  if (presented === grant.generation) {
    if (at >= refreshTokenEndsAt(tokens)) return refuse('grant_is_expired')
    const requested = scope ?? granted.scope
    if (!isPartOf(requested, granted.scope)) return refuse('scope_is_too_wide')
    const data = { generation: presented + 1, scope: [...requested], tokens: next }
    return [{ type: 'GrantRefreshed', data }]
  }
  const isRepeat =
    presented === grant.generation - 1 &&
    stillLasts(tokens.issuedAt + repeatWindow * 1000, repeatWindow, at)
  // An old token used again has two holders, one of whom stole it.
  if (!isRepeat) return [{ type: 'GrantRevoked', data: { by: 'refresh_reuse' } }]
  const { scope: successor } = grant.latest ?? granted
  return scope === null || isPartOf(scope, successor) ? [] : refuse('scope_is_too_wide')
}

/** All tokens that descend from one grant. */
export const grant: Decider<GrantCommand, GrantEvent, Grant> = {
  initial: { generation: 0, latest: null, revokedBy: null },
  decide(command, grant) {
    switch (command.type) {
      case 'RefreshGrant':
        return decideRefresh(command, grant)
      case 'RevokeGrant': {
        const { by } = command
        const { revokedBy } = grant
        const isDone = revokedBy !== null && (isWithdrawal(revokedBy) || !isWithdrawal(by))
        return isDone ? [] : [{ type: 'GrantRevoked', data: { by } }]
      }
    }
  },
  evolve(grant, event) {
    switch (event.type) {
      case 'GrantRefreshed': {
        const { generation, ...latest } = event.data
        return { ...grant, generation, latest }
      }
      case 'GrantRevoked':
        return { ...grant, revokedBy: event.data.by }
    }
  },
}
