import { applications } from '../domain/aggregates.ts'
import { accessTokenLifetime, type IssuedTokens } from '../domain/people/grant.ts'
import { replacedSecrets } from '../domain/people/application.ts'
import { refuse } from '../domain/refusal.ts'
import type { Instant, Seconds } from '../domain/time.ts'
import type { Context, Deciding } from './handle.ts'

/**
 * How long clients may cache the keys of ID tokens; new keys are published that long before use.
 */
export const keySetLifetime: Seconds = 300

/** Algorithms of DPoP proofs (RFC 9449, 5.1). */
export const proofAlgorithms = ['ES256', 'ES384', 'Ed25519', 'EdDSA', 'PS256', 'RS256'] as const

/**
 * Tokens are derived with a secret key from the grant and its generation, so they can be shown
 * again although only hashes are stored. A grant's id is the stream of the granting request.
 */
export type Tokens = {
  access(grant: string, generation: number): string
  refresh(grant: string, generation: number): string
  code(authorization: string): string
  /** SHA-256, as stored. */
  digest(token: string): string
}

/** `jkt` binds them to a key of the client. */
export const issueTokens = (
  tokens: Tokens,
  grant: string,
  generation: number,
  at: Instant,
  jkt?: string,
): IssuedTokens => {
  const issuedAt = Math.floor(at / 1000) * 1000
  return {
    accessHash: tokens.digest(tokens.access(grant, generation)),
    refreshHash: tokens.digest(tokens.refresh(grant, generation)),
    issuedAt,
    expiresAt: issuedAt + accessTokenLifetime * 1000,
    ...(jkt !== undefined && { jkt }),
  }
}

/**
 * Replaces the secret of a client; the earlier one stays valid until then, and those before it
 * until their own time. If the earlier one ends at once, as after a leak, all of them do. The same
 * secret again changes nothing. @throws Refusal resource_is_unknown for public clients
 */
export const rotateClientSecret =
  ({ handle, find }: Deciding) =>
  async (
    { clientId, secretHash }: Readonly<{ clientId: string; secretHash: string }>,
    until: Instant,
    context: Context,
  ): Promise<void> => {
    const known = await find(applications, clientId, 'log')
    const hash = known.status === 'present' ? known.data.secretHash : null
    if (known.status !== 'present' || hash === null) return refuse('resource_is_unknown')
    const { at } = context
    const earlierSecrets = at < until ? replacedSecrets(known.data, at) : []
    const changes = { secretHash, previousSecret: { hash, until }, earlierSecrets }
    if (secretHash !== hash)
      await handle(applications, clientId, { type: 'Change', changes }, context)
  }
