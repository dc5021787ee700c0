import { z } from 'zod'
import { type Issues, isRecord } from '../validation.ts'
import { decimalText, knownCurrencyCode, signedAmountText, unitPriceText } from '../wire.ts'

/** Item lists and receipts as tills send them (interface 15.2). */

const number = decimalText(/^-?\d{1,12}(\.\d{1,6})?$/, 'Must be a number such as 2 or "0.5".')

const degrees = decimalText(/^-?\d{1,3}(\.\d{1,20})?$/, 'Must be degrees such as "59.9139".')

const shortText = z.string().min(1).max(255).optional()

const longText = z.string().min(1).max(1000)

const amount = signedAmountText.optional()

const unitPrice = unitPriceText.optional()

const itemFields = {
  item_name: longText.optional(),
  quantity: number.optional(),
  measurement_unit: z.string().min(1).max(50).optional().meta({ description: 'Such as kg or l.' }),
  item_gross_total: signedAmountText,
  tax_percent: number.optional(),
}

const listedItem = z.object({ ...itemFields, item_id: shortText }).meta({ id: 'AttachedItem' })

const mostItems = 1000

export const itemList = z
  .object({
    store_name: shortText,
    organization_number: shortText,
    items: z.array(listedItem).min(1).max(mostItems),
  })
  .meta({ id: 'ItemList', description: 'Amounts are in the currency of the payment.' })

/** Whether each item of a list has a name or an id, whatever else is wrong with it. */
export const checkItemNames = (list: unknown, context: Issues): void => {
  const items = isRecord(list) && Array.isArray(list['items']) ? list['items'] : []
  const message = 'Give an item_name or an item_id.'
  for (const [index, item] of items.slice(0, mostItems).entries())
    if (isRecord(item) && item['item_name'] === undefined && item['item_id'] === undefined) {
      const path = ['items', index, 'item_name']
      context.issues.push({ code: 'custom', message, path, input: item })
    }
}

const store = z
  .object({
    store_id: shortText,
    name: z.string().min(1).max(255),
    address: longText.optional(),
    postal_code: shortText,
    postal_place: shortText,
    country: shortText,
    phone_number: shortText,
    organization_number: shortText,
    chain_name: shortText,
    longitude: degrees.optional(),
    latitude: degrees.optional(),
  })
  .meta({ id: 'ReceiptStore' })

const soldItem = z
  .object({
    ...itemFields,
    item_name: longText,
    item_group: shortText,
    item_net_price: unitPrice,
    item_gross_price: unitPrice,
    item_net_total: amount,
    discount: amount,
    taxes: amount,
    commodity_code: shortText,
    ean: shortText,
    serial_number: shortText,
  })
  .meta({ id: 'ReceiptItem' })

const payment = z
  .object({
    payment_type: z.string().min(1).max(50).meta({ description: 'Such as card or cash.' }),
    amount: signedAmountText.meta({ description: 'The part that was paid in this way.' }),
    currency: knownCurrencyCode.optional().meta({ description: 'By default that of the receipt.' }),
  })
  .meta({ id: 'ReceiptPayment' })

export const receipt = z
  .object({
    cashier: shortText,
    register: shortText,
    store,
    items: z.array(soldItem).min(1).max(mostItems),
    payments: z.array(payment).min(1).max(100),
    currency: knownCurrencyCode,
    gross: signedAmountText.meta({ description: 'What it came to, with tax.' }),
    discount: amount,
    net: amount.meta({ description: 'The same without tax.' }),
  })
  .meta({ id: 'Receipt' })
