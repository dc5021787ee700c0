import { z } from 'zod'
import { decimalText, knownCurrencyCode, signedAmountText } from '../wire.ts'

/** Earlier field names of item lists and receipts: in old logs, and still accepted. */

const number = decimalText(/^-?\d{1,12}(\.\d{1,6})?$/, 'Must be a number such as 2 or "0.5".')
const shortText = z.string().min(1).max(255)
const longText = z.string().min(1).max(1000)

const item = z
  .object({
    description: longText.optional(),
    product_id: shortText.optional(),
    quantity: number,
    unit: z.string().max(50).optional(),
    item_cost: signedAmountText.optional(),
    discount: signedAmountText.optional(),
    total: signedAmountText,
    vat: signedAmountText.optional(),
    vat_rate: number.optional(),
  })
  .refine(({ description, product_id }) => description !== undefined || product_id !== undefined)

const items = z.array(item).min(1).max(1000)

export const earlierItemList = z.object({
  currency: knownCurrencyCode.optional(),
  items,
  discount: signedAmountText.optional(),
  total: signedAmountText.optional(),
})

const store = z.object({
  name: shortText,
  organization_id: shortText.optional(),
  address: longText.optional(),
  phone_number: shortText.optional(),
})

const payment = z.object({ type: z.string().min(1).max(50), amount: signedAmountText })

export const earlierReceipt = z.object({
  currency: knownCurrencyCode.optional(),
  receipt_id: shortText.optional(),
  store: z.union([shortText, store]),
  items,
  payments: z.array(payment).min(1).max(100),
  discount: signedAmountText.optional(),
  net: signedAmountText.optional(),
  vat: signedAmountText.optional(),
  total: signedAmountText.optional(),
})
