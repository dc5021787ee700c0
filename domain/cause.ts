import { z } from 'zod'

/** What a key signed, so that anybody can check later who ordered an event. */
const signedOrder = z.object({
  /** Fingerprint of the public key: `SHA256=` and the digest of its SPKI in base64. */
  key: z.string(),
  /** `METHOD|url|headers`, among them timestamp and content digest (interface 3). */
  text: z.string(),
  /** Of that text, in base64. */
  signature: z.string(),
  /** Where it holds nothing but what the event tells anyway; of others the digest is signed. */
  body: z.string().optional(),
})

export type SignedOrder = z.output<typeof signedOrder>

/** Whose account of which machine ran a command. */
const operatorAccount = z.object({ account: z.string(), machine: z.string() })

export type OperatorAccount = z.output<typeof operatorAccount>

/** How it is known who caused an event; events of before this was kept have none. */
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
