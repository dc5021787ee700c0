import { createHmac } from 'node:crypto'
import type { Find } from '../../application/find-state.ts'
import { callbackSecrets } from '../../domain/aggregates.ts'
import { validNumbers } from '../../domain/merchant/callback-secret.ts'
import type { Instant } from '../../domain/time.ts'

const prefix = 'whsec_'

/** The `v1` signature of Standard Webhooks. */
export const hmacOf = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(content)
    .digest('base64')

type Needs = {
  readonly find: Find
  /** Cannot be computed without the vault. */
  readonly derive: (...parts: readonly (string | number)[]) => string
}

/** The secrets that sign a merchant's callbacks, current one first. */
export const secretsOfMerchants =
  ({ find, derive }: Needs) =>
  async (merchant: string, at: Instant) => {
    const state = await find(callbackSecrets, merchant, 'log')
    return validNumbers(state, at).map(({ number, validUntil }) => {
      const bytes = Buffer.from(derive('callback-secret', merchant, number), 'base64url')
      return { secret: prefix + bytes.toString('base64'), validUntil }
    })
  }

export type FindCallbackSecrets = ReturnType<typeof secretsOfMerchants>
