import { z } from 'zod'
import type { Wanted } from '../../domain/payment/payment-command.ts'
import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { amountIn, amountText, knownCurrencyCode, read } from '../wire.ts'
import { detailsInput, lineItemsOf, linksOf } from './payment-input.ts'

const actions = ['capture', 'abort', 'release', 'reauth', 'refund'] as const

/** Under which a capture or a refund is known. */
const partId = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9-_.]+$/, 'Letters, digits and - _ . only.')

const part = ['action', 'amount', 'additional_amount', 'currency']

/** What counts with each action, and without one. */
const fieldsOf = new Map<string, readonly string[]>([
  ['capture', [...part, 'capture_id']],
  ['refund', [...part, 'refund_id', 'text']],
  ['release', ['action']],
  ['abort', ['action']],
  ['reauth', ['action']],
])
const fieldsOfNone = ['action', ...Object.keys(detailsInput)]

/** Leaves out what is ignored, however it looks. */
const withoutIgnored = (input: unknown): unknown => {
  if (typeof input !== 'object' || input === null) return input
  const given = input as Readonly<Record<string, unknown>>
  const { action } = given
  const fields = typeof action === 'string' ? fieldsOf.get(action.toLowerCase()) : undefined
  const counts: Record<string, unknown> = {}
  for (const field of fields ?? fieldsOfNone)
    if (given[field] !== undefined) counts[field] = given[field]
  return counts
}

const paymentUpdate = z
  .object({
    action: z
      .string()
      .transform((action) => action.toLowerCase())
      .pipe(z.enum(actions))
      .meta({
        description: `One of ${actions.join(', ')}, in any case; absent to change details.`,
      }),
    amount: amountText.nullable(),
    additional_amount: amountText.nullable(),
    currency: knownCurrencyCode.nullable(),
    capture_id: partId.nullable(),
    refund_id: partId.nullable(),
    text: z.string().max(1000).nullable().meta({ description: 'Reason of a refund.' }),
    ...detailsInput,
  })
  .partial()
  .meta({ id: 'PaymentUpdate' })

/** PUT /payment_request/<tid>/ (decisions 4): an action, or without one the details that change. */
export const paymentUpdateInput = z.preprocess(withoutIgnored, paymentUpdate)

export type PaymentUpdate = z.output<typeof paymentUpdateInput>

/** What a capture or refund takes: everything that is left, or amounts, under the id in one field. @throws Malformed */
export const wantedOf = (input: PaymentUpdate, idField: 'capture_id' | 'refund_id'): Wanted => {
  const { amount, additional_amount, currency } = input
  const id = input[idField]
  if (amount == null && additional_amount == null && id == null && currency == null)
    return 'everything'
  return read((context) => {
    const issue = (field: string, message: string) =>
      context.issues.push({ code: 'custom', path: [field], message, input })
    const required = (field: string, value: unknown) =>
      value == null && issue(field, 'Required for a part.')
    required('amount', amount)
    required('currency', currency)
    if (amount == null || currency == null) {
      required(idField, id)
      // Nobody gets this answer: `read` throws, as what is missing has been noted.
      return 'everything'
    }
    const wanted = {
      id: id ?? null,
      currency,
      amount: amountIn(context, ['amount'], amount, currency),
      additionalAmount: amountIn(
        context,
        ['additional_amount'],
        additional_amount ?? '0',
        currency,
      ),
    }
    if (wanted.amount + wanted.additionalAmount === 0 && context.issues.length === 0)
      issue('amount', 'Must be larger than 0.')
    return wanted
  })
}

/** The details that an update names; line items are read in the currency of the payment. @throws Malformed */
export const detailsOf = (input: PaymentUpdate, currency: string): Partial<PaymentDetails> => {
  const { ledger, callback_uri, display_message_uri, links, line_items } = input
  return read((context) => ({
    ...(ledger !== undefined && { ledger }),
    ...(callback_uri !== undefined && { callbackUri: callback_uri }),
    ...(display_message_uri !== undefined && { displayMessageUri: display_message_uri }),
    ...(links !== undefined && { links: linksOf(links) }),
    ...(line_items !== undefined && { lineItems: lineItemsOf(line_items, currency, context) }),
  }))
}
