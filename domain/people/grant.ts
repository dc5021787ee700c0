import { z } from 'zod'
import type { Decider, EventsOf } from '../decider.ts'
import { refuse } from '../refusal.ts'
import { secondsAfter, stillLasts, type Instant, type Seconds } from '../time.ts'
import { isPartOf, scope, type Scope } from './scope.ts'

export const accessTokenLifetime: Seconds = 3600
/** A refresh token that nobody uses for half a year ends. */
const refreshTokenLifetime: Seconds = 15_552_000
/** So long a repeat of the last refresh gets the same successor again (interface 11). */
const repeatWindow: Seconds = 60

/** What is kept of an access token and its refresh token: their SHA-256. */
const issuedTokens = z.object({
  accessHash: z.string(),
  refreshHash: z.string(),
  issuedAt: z.int(),
  expiresAt: z.int(),
})

/** What a payer lets a merchant know, and the tokens that the merchant got for it. */
export const permissions = z.object({ scope: z.array(scope), tokens: issuedTokens })

export type IssuedTokens = z.output<typeof issuedTokens>

export const refreshTokenEndsAt = ({ issuedAt }: Pick<IssuedTokens, 'issuedAt'>): Instant =>
  secondsAfter(issuedAt, refreshTokenLifetime)

export type Permissions = z.output<typeof permissions>

const revokers = ['client', 'payer', 'refresh_reuse', 'code_reuse', 'operator'] as const
export type Revoker = (typeof revokers)[number]

/** Whether the consent itself is taken back: what a client or a theft ends are tokens, and the payer's consent stands. */
export const isWithdrawal = (by: Revoker): boolean => by === 'payer' || by === 'operator'

/**
 * Events of the stream `grant-<the stream in which the payer granted it>`: what became of a grant afterwards. The grant
 * itself is generation 0; each refresh makes the next one.
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
      /** As first granted. */
      readonly granted: Permissions
      /** Of which generation the refresh token is that was presented. */
      readonly presented: number
      /** A narrower scope, or null for the same. */
      readonly scope: readonly Scope[] | null
      /** The tokens of the generation after the presented one. */
      readonly next: IssuedTokens
    }
  | { readonly type: 'RevokeGrant'; readonly by: Revoker }

type Grant = {
  readonly generation: number
  /** Of this generation; null as long as it is the first. */
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
    const wanted = scope ?? granted.scope
    if (!isPartOf(wanted, granted.scope)) return refuse('scope_is_too_wide')
    const data = { generation: presented + 1, scope: [...wanted], tokens: next }
    return [{ type: 'GrantRefreshed', data }]
  }
  const isRepeat =
    presented === grant.generation - 1 &&
    stillLasts(tokens.issuedAt + repeatWindow * 1000, repeatWindow, at)
  // A token that was used up long ago is in two hands, and one of them has stolen it.
  if (!isRepeat) return [{ type: 'GrantRevoked', data: { by: 'refresh_reuse' } }]
  const { scope: successor } = grant.latest ?? granted
  return scope === null || isPartOf(scope, successor) ? [] : refuse('scope_is_too_wide')
}

/** A family of tokens that descend from what a payer granted once. */
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
