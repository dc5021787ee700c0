import { z } from 'zod'
import type { PaymentAct } from '../../application/payment-acts.ts'
import { parseAmount } from '../../domain/money/money.ts'
import type { RequestedAmounts } from '../../domain/payment/payment-command.ts'
import type { PaymentDetails } from '../../domain/payment/payment-events.ts'
import { withCrossFieldCheck, type Issues, type Fitting } from '../validation.ts'
import { removable } from '../empty-values.ts'
import { amountIn, amountText, isZero, knownCurrencyCode, read } from '../wire.ts'
import { lineItemsOf } from './line-items.ts'
import { detailsInput, linksOf } from './payment-input.ts'

/** The id of a capture or refund. */
const partId = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9-_.]+$/, 'Letters, digits and - _ . only.')

const part = ['action', 'amount', 'additional_amount', 'currency']

/** The actions, and the fields that each uses. */
const fieldsOf = {
  capture: [...part, 'capture_id'],
  abort: ['action'],
  release: ['action'],
  reauth: ['action'],
  refund: [...part, 'refund_id', 'text'],
}

type Action = keyof typeof fieldsOf

export const paymentActions = Object.keys(fieldsOf) as Action[]

const isAction = (text: string): text is Action => Object.hasOwn(fieldsOf, text)

export const fieldsUsedBy = (action: Action): readonly string[] => fieldsOf[action]

const fieldsOfNone = ['action', ...Object.keys(detailsInput)]

const fieldsOfAny = Object.values(fieldsOf).flat()

const fieldsUsedWith = (action: unknown): readonly string[] => {
  if (action === undefined) return fieldsOfNone
  const name = typeof action === 'string' ? action.toLowerCase() : ''
  return isAction(name) ? fieldsOf[name] : fieldsOfAny
}

/** Unused fields are dropped unchecked; with an unknown action all that an action may use count. */
const withoutIgnored = (input: unknown): unknown => {
  if (typeof input !== 'object' || input === null) return input
  const fields = input as Readonly<Record<string, unknown>>
  const counts: Record<string, unknown> = {}
  for (const field of fieldsUsedWith(fields['action']))
    if (fields[field] !== undefined) counts[field] = fields[field]
  return counts
}

const paymentUpdate = z
  .object({
    action: z
      .string()
      .transform((action) => action.toLowerCase())
      .pipe(z.enum(paymentActions))
      .meta({ enum: paymentActions, description: 'In any case; absent to change details.' }),
    amount: amountText.nullable(),
    additional_amount: amountText.nullable(),
    currency: knownCurrencyCode.nullable(),
    capture_id: partId.nullable(),
    refund_id: partId.nullable(),
    text: z.string().max(1000).nullable().meta({ description: 'Reason of a refund.' }),
    ...detailsInput,
    callback_uri: removable(detailsInput.callback_uri),
    display_message_uri: removable(detailsInput.display_message_uri),
  })
  .partial()
  .meta({ id: 'PaymentUpdate' })

export type PaymentUpdate = z.output<typeof paymentUpdate>

type IdField = 'capture_id' | 'refund_id'

const checkAmounts = (input: Fitting<PaymentUpdate>, context: Issues): void => {
  const { amount, additional_amount: additional, currency } = input
  if (amount != null) amountIn(context, ['amount'], amount, currency ?? undefined)
  if (additional != null)
    amountIn(context, ['additional_amount'], additional, currency ?? undefined)
}

const checkPart = (input: Fitting<PaymentUpdate>, idField: IdField, context: Issues): void => {
  const { amount, additional_amount: additional, currency } = input
  const issue = (field: string, message: string) =>
    context.issues.push({ code: 'custom', path: [field], message, input })
  // Without an id everything left is meant, so the amounts must match it.
  const needed = amount == null || currency == null ? [idField] : []
  for (const field of ['amount', 'currency', ...needed] as const)
    if (input[field] == null) issue(field, 'Required for a part.')
  if (amount != null && isZero(amount) && isZero(additional ?? '0'))
    issue('amount', 'Must be larger than 0.')
  checkAmounts(input, context)
}

/** A field that cannot be read is left out of what can be read; one that is absent is not. */
const isForEverything = (input: Fitting<PaymentUpdate>, idField: IdField): boolean =>
  (['amount', 'additional_amount', 'currency', idField] as const).every(
    (field) => Object.hasOwn(input, field) && input[field] == null,
  )

const asUsed = z.preprocess(withoutIgnored, paymentUpdate)

/** PUT /payment_request/<tid>/ (interface 4): an action, or else changed details. */
export const paymentUpdateInput = withCrossFieldCheck(asUsed, asUsed, (input, context) => {
  const { action } = input
  if (action !== 'capture' && action !== 'refund') return checkAmounts(input, context)
  const idField = `${action}_id` as const
  if (!isForEverything(input, idField)) checkPart(input, idField, context)
})

/** What to capture or refund: amounts, or everything left. @throws Malformed */
const requestedAmounts = (input: PaymentUpdate, idField: IdField): RequestedAmounts => {
  const { amount, additional_amount: additional, currency } = input
  const id = input[idField]
  if (amount == null && additional == null && id == null && currency == null) return 'everything'
  return read((context) => {
    checkPart(input, idField, context)
    // Never returned: `read` throws on noted issues.
    if (context.issues.length > 0 || amount == null || currency == null) return 'everything'
    const minor = (text: string) => parseAmount(text, currency)
    const pots = { amount: minor(amount), additionalAmount: minor(additional ?? '0') }
    return { id: id ?? null, currency, ...pots }
  })
}

/** The details to change; line items use the payment's currency. @throws Malformed */
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

/** @throws Malformed */
const acts: Readonly<Record<Action, (input: PaymentUpdate) => PaymentAct>> = {
  capture: (input) => ({ type: 'CapturePayment', wanted: requestedAmounts(input, 'capture_id') }),
  abort: () => ({ type: 'ReleasePayment' }),
  release: () => ({ type: 'ReleasePayment' }),
  reauth: () => ({ type: 'RenewPayment' }),
  refund: (input) => ({
    type: 'RefundPayment',
    wanted: requestedAmounts(input, 'refund_id'),
    text: input.text ?? null,
  }),
}

/** What is to be done; undefined when details are to be changed. @throws Malformed */
export const actOf = (input: PaymentUpdate): PaymentAct | undefined =>
  input.action === undefined ? undefined : acts[input.action](input)
