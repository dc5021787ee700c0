import { z } from 'zod'
import { statusesOfLink } from '../../domain/payment/payment-details.ts'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'
import type { RequestedPayment } from '../../domain/payment/payment-state.ts'
import type { Links } from '../addresses.ts'
import { dateTime, money, moneyIn, unitPrice } from '../wire.ts'
import { inPercent } from './line-items.ts'

const nullableText = z.string().nullable()

const lineItemReply = z.object({
  product_id: z.string(),
  description: nullableText,
  quantity: z.string(),
  item_cost: unitPrice,
  total: money,
  vat: money.nullable(),
  vat_rate: nullableText.meta({ description: inPercent }),
  metadata: z.array(z.object({ key: z.string(), value: z.string() })),
})

/** GET /payment_request/<tid>/: the request with its later amendments. */
export const paymentRequestReply = z
  .object({
    id: z.string(),
    uri: nullableText,
    pos_id: z.string(),
    pos_tid: z.string(),
    currency: z.string(),
    amount: money,
    additional_amount: money,
    additional_edit: z.boolean(),
    allow_credit: z.boolean(),
    customer: nullableText,
    max_scan_age: z.int(),
    date_expires: dateTime,
    text: nullableText,
    ledger: z.string(),
    callback_uri: nullableText,
    display_message_uri: nullableText,
    success_return_uri: nullableText,
    failure_return_uri: nullableText,
    required_scope: nullableText,
    required_scope_text: nullableText,
    line_items: z.array(lineItemReply),
    links: z.array(
      z.object({ uri: z.string(), caption: z.string(), show_on: z.array(z.enum(statusesOfLink)) }),
    ),
  })
  .meta({ id: 'PaymentRequest' })

/** The checkout portal's page; null when the request names a customer. */
export const checkoutUri = (
  links: Links,
  tid: string,
  { customer }: Pick<PaymentRequest, 'customer'>,
): string | null => (customer === null ? links.full(`/payer/checkout/${tid}`) : null)

/** A payment's request, and its customer as far as merchants may see. */
export type RequestView = {
  readonly payment: RequestedPayment
  readonly customer: string | null
}

export const paymentRequestView = (
  tid: string,
  uri: string | null,
  { payment: { request, details, waitsUntil }, customer }: RequestView,
): z.input<typeof paymentRequestReply> => {
  const { currency } = request
  const amount = moneyIn(currency)
  return {
    id: tid,
    uri,
    pos_id: request.posId,
    pos_tid: request.posTid,
    currency,
    amount: amount(request.amount),
    additional_amount: amount(request.additionalAmount),
    additional_edit: request.additionalEdit,
    allow_credit: request.allowCredit,
    customer,
    max_scan_age: request.maxScanAge,
    date_expires: waitsUntil,
    text: request.text,
    ledger: details.ledger,
    callback_uri: details.callbackUri,
    display_message_uri: details.displayMessageUri,
    success_return_uri: request.successReturnUri,
    failure_return_uri: request.failureReturnUri,
    required_scope: request.requiredScope,
    required_scope_text: request.requiredScopeText,
    line_items: details.lineItems.map((item) => ({
      product_id: item.productId,
      description: item.description,
      quantity: item.quantity,
      item_cost: { ...amount(item.itemCost), exact: item.exactItemCost ?? null },
      total: amount(item.total),
      vat: item.vat === null ? null : amount(item.vat),
      vat_rate: item.vatRate,
      metadata: [...item.metadata],
    })),
    links: details.links.map(({ showOn, ...link }) => ({ ...link, show_on: [...showOn] })),
  }
}
