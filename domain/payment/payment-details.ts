import { z } from 'zod'

export const minorUnits = z.int()
const uri = z.string().nullable()

export const pots = { amount: minorUnits, additionalAmount: minorUnits }

export const lineItem = z.object({
  productId: z.string(),
  description: z.string().nullable(),
  quantity: z.string(),
  itemCost: minorUnits,
  /** Exact decimal text if the cost is finer than a minor unit; `itemCost` is truncated. */
  exactItemCost: z.string().optional(),
  total: minorUnits,
  vat: minorUnits.nullable(),
  vatRate: z.string().nullable(),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })),
})

export const statusesOfLink = ['pending', 'ok', 'fail'] as const

const link = z.object({
  uri: z.string(),
  caption: z.string(),
  showOn: z.array(z.enum(statusesOfLink)),
})

/** What merchants may amend (interface 4.3). */
export const details = z.object({
  ledger: z.string(),
  callbackUri: uri,
  displayMessageUri: uri,
  links: z.array(link),
  lineItems: z.array(lineItem),
})

/** With all defaults filled in. */
export const paymentRequest = z.object({
  merchant: z.string(),
  posId: z.string(),
  posTid: z.string(),
  action: z.enum(['auth', 'sale']),
  currency: z.string(),
  ...pots,
  additionalEdit: z.boolean(),
  allowCredit: z.boolean(),
  customer: z.string().nullable(),
  maxScanAge: z.int(),
  expiresIn: z.int(),
  text: z.string().nullable(),
  successReturnUri: uri,
  failureReturnUri: uri,
  requiredScope: z.string().nullable(),
  requiredScopeText: z.string().nullable(),
  /** Whether it is captured whole as soon as the payer accepts; only of the portal. */
  capturesAtOnce: z.literal(true).optional(),
  ...details.shape,
})
