import { z } from 'zod'
import type { EventsOf } from '../decider.ts'
import { instant } from '../time.ts'

/** Encrypted with the payer's key, which is stored outside the log. */
const sealed = z.string()
/** SHA-256 of the cookie of a device that has signed in. */
const knownDevice = z.string()

/** Streams `payer-<id>`. Ids are meaningless, and all data is sealed with the payer's key. */
export const payerEvents = {
  /**
   * `credentials`: slow hash of the PIN, secret of the one-time codes, hashes of recovery codes.
   */
  PayerRegistered: z.object({ profile: sealed, credentials: sealed }),
  PayerProfileChanged: z.object({ profile: sealed }),
  /**
   * The account has another number. `absorbed`: the person that merchants named by that number,
   * erased together with this payer.
   */
  PayerNumberProved: z.object({ profile: sealed, absorbed: z.string().optional() }),
  /** Somebody else has since proved the number. */
  PayerNumberLost: z.object({}),
  /** `known`: the failure counts for this device only. */
  PayerSignInFailed: z.object({
    factor: z.enum(['pin', 'code']),
    lockedUntil: instant,
    known: knownDevice.optional(),
  }),
  /** `session`: SHA-256 of its token. `codeStep`: 30-second step of the one-time code. */
  PayerSignedIn: z.object({
    session: z.string(),
    codeStep: z.int(),
    expiresAt: instant,
    /** Name that the device reports. */
    device: sealed.optional(),
    known: knownDevice.optional(),
  }),
  /** At most once every few minutes, so that idle sessions can end. */
  PayerSessionUsed: z.object({ session: z.string() }),
  PayerSignedOut: z.object({ session: z.string() }),
  /** A one-time code was required again and given, for a payment or a change. */
  PayerCodeConfirmed: z.object({ codeStep: z.int() }),
  PayerCredentialsChanged: z.object({
    credentials: sealed,
    what: z.enum(['pin', 'authenticator', 'recovery_codes', 'recovery_code_used', 'recovery']),
    codeStep: z.int().optional(),
    known: knownDevice.optional(),
  }),
  /** The payer's key is destroyed. */
  PayerErased: z.object({}),
} as const

export type PayerEvent = EventsOf<typeof payerEvents>
