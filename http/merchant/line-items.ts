import { z } from 'zod'
import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { addsUp } from '../../domain/payment/payment-request.ts'
import type { Issues, Fitting } from '../validation.ts'
import { issuesOf } from '../refusal-answers.ts'
import {
  decimalText,
  readableAmount,
  signedAmountIn,
  signedAmountText,
  unitPriceIn,
  unitPriceText,
} from '../wire.ts'

const quantityText = decimalText(/^\d{1,12}(\.\d{1,6})?$/, 'Must be a number such as 2 or "0.5".')

export const inPercent = 'In per cent: `25` or `"12.5"`.'

export const lineItemInput = z
  .object({
    product_id: z.string().min(1).max(255),
    description: z.string().max(1000).nullish(),
    quantity: quantityText,
    item_cost: unitPriceText,
    total: signedAmountText,
    vat: signedAmountText.nullish(),
    vat_rate: quantityText.nullish().meta({ description: inPercent }),
    metadata: z
      .array(z.object({ key: z.string().max(255), value: z.string().max(1000).default('') }))
      .max(100)
      .default([]),
  })
  .meta({ id: 'LineItem' })

/** Bytes of JSON; a whole event is at most 1 MiB. */
const largestLineItems = 524_288

type LineItems = readonly z.output<typeof lineItemInput>[]

const lineAmounts = [
  ['item_cost', unitPriceIn],
  ['total', signedAmountIn],
  ['vat', signedAmountIn],
] as const

export const lineItemsOf = (
  items: LineItems,
  currency: string,
  context: Issues,
): PaymentDetails['lineItems'] => {
  if (items.length === 0) return []
  const lineItems = items.map((item, index) => {
    const amount = (field: 'total' | 'vat', text: string) =>
      signedAmountIn(context, ['line_items', index, field], text, currency)
    const path = ['line_items', index, 'item_cost']
    const { minor, exact } = unitPriceIn(context, path, item.item_cost, currency)
    return {
      productId: item.product_id,
      description: item.description ?? null,
      quantity: item.quantity,
      itemCost: minor,
      ...(exact !== null && { exactItemCost: exact }),
      total: amount('total', item.total),
      vat: item.vat == null ? null : amount('vat', item.vat),
      vatRate: item.vat_rate ?? null,
      metadata: item.metadata,
    }
  })
  if (Buffer.byteLength(JSON.stringify(lineItems)) > largestLineItems) {
    const message = 'Must be at most 512 KiB.'
    context.issues.push({ code: 'custom', message, path: ['line_items'], input: items })
  }
  return lineItems
}

/** Checks the amounts of lines, some of which cannot be read. */
export const checkLineAmounts = (
  items: Fitting<LineItems>,
  currency: string | undefined,
  context: Issues,
): void => {
  for (const [index, item] of items.entries())
    for (const [field, readIn] of lineAmounts) {
      const text = item[field]
      if (text != null) readIn(context, ['line_items', index, field], text, currency)
    }
}

/** Whether the totals of lines differ from the amount, when all of them can be read. */
export const sumProblems = (
  items: Fitting<LineItems>,
  amount: number | undefined,
  currency: string | undefined,
): Issues['issues'] => {
  const totals = items.map(({ total }) => readableAmount(total, currency))
  const lines = totals.flatMap((total) => (total === undefined ? [] : [{ total }]))
  if (amount === undefined || lines.length < totals.length || addsUp(lines, amount)) return []
  return issuesOf(['line_items_do_not_add_up']).map((issue) => ({
    code: 'custom',
    input: items,
    ...issue,
  }))
}
