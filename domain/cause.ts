import { z } from 'zod'

/** A signed request, so that anybody can verify later who ordered an event. */
const signedOrder = z.object({
  /** Fingerprint of the public key: `SHA256=` and the digest of its SPKI in base64. */
  key: z.string(),
  /** `METHOD|url|headers`, including timestamp and content digest (interface 3). */
  text: z.string(),
  /** Signature of that text, in base64. */
  signature: z.string(),
  /** Kept if it holds nothing beyond the event itself; otherwise only the signed digest is kept. */
  body: z.string().optional(),
})

export type SignedOrder = z.output<typeof signedOrder>

/** The operating-system account and machine that ran a command. */
const operatorAccount = z.object({ account: z.string(), machine: z.string() })

export type OperatorAccount = z.output<typeof operatorAccount>

/** How the cause of an event is known; absent in events that predate it. */
export const cause = {
  signed: signedOrder.optional(),
  /** The address that a request with a secret came from, sealed. */
  from: z.string().optional(),
  operator: operatorAccount.optional(),
}

export type Cause = {
  readonly signed?: SignedOrder | undefined
  readonly from?: string | undefined
  readonly operator?: OperatorAccount | undefined
}
