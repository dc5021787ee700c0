import { z } from 'zod'
import { defaultLedger } from '../../domain/accounting/ledger.ts'
import { callbackUriText, webUriText } from '../addresses.ts'
import { statusesOfLink } from '../../domain/payment/payment-details.ts'
import type { PaymentDetails, PaymentRequest } from '../../domain/payment/payment-events.ts'
import { formatScope } from '../../domain/people/scope.ts'
import { isTooLarge } from '../../domain/accounting/fees.ts'
import { withCrossFieldCheck, type Issues, type Fitting } from '../validation.ts'
import { issuesOf } from '../refusal-answers.ts'
import {
  amountIn,
  amountText,
  currencyCode,
  identifier,
  isZero,
  orElse,
  plainNumber,
  readableAmount,
} from '../wire.ts'
import { checkLineAmounts, lineItemInput, lineItemsOf, sumProblems } from './line-items.ts'
import { expiresInput, scopeText } from './permission.ts'

const linkInput = z
  .object({
    uri: webUriText,
    caption: z.string().min(1).max(255),
    show_on: z.array(z.enum(statusesOfLink)).max(3),
  })
  .meta({ id: 'Link' })

/** The details that a PUT may change. */
export const detailsInput = {
  ledger: z.string().min(1).max(100),
  callback_uri: callbackUriText,
  display_message_uri: callbackUriText.meta({
    description:
      'Gets a display_message with a text when the payer scans, accepts or declines, over http ' +
      'too.',
  }),
  links: z.array(linkInput).max(32),
  line_items: z.array(lineItemInput).max(1000),
}

export const linksOf = (links: readonly z.output<typeof linkInput>[]): PaymentDetails['links'] =>
  links.map(({ uri, caption, show_on }) => ({ uri, caption, showOn: show_on }))

const paymentActions = ['auth', 'sale'] as const

const paymentRequestFields = z
  .object({
    pos_id: identifier,
    pos_tid: identifier,
    action: z
      .string()
      .transform((action) => action.toLowerCase())
      .pipe(z.enum(paymentActions))
      .meta({
        enum: paymentActions,
        description:
          'In any case. The payer is told that the amount is reserved, or that it is paid; a ' +
          'sale must still be captured.',
      }),
    currency: currencyCode,
    amount: amountText,
    additional_amount: orElse(amountText, '0'),
    additional_edit: orElse(z.boolean(), false),
    allow_credit: z.boolean(),
    customer: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .default(null)
      .meta({
        description:
          'An access token that the payer has granted; a phone number, with `+` or `msisdn:` ' +
          'before it or without; `shortlink_id:<id>` or `shortlink_sn:<serial number>` for ' +
          'whoever scans that code; `token:<digits>` of a scan, for one day. Without one, ' +
          'anybody may pay on the checkout page at `uri` of the answer.',
      }),
    max_scan_age: plainNumber(orElse(z.int().min(0).max(2_592_000), 60)).meta({
      description: 'Seconds before the request within which a scan of the code still counts.',
    }),
    expires_in: expiresInput,
    text: z.string().max(1000).nullable().default(null),
    ledger: orElse(detailsInput.ledger, defaultLedger),
    callback_uri: detailsInput.callback_uri.nullable().default(null),
    display_message_uri: detailsInput.display_message_uri.nullable().default(null),
    success_return_uri: webUriText.nullable().default(null),
    failure_return_uri: webUriText
      .nullable()
      .default(null)
      .meta({
        description:
          'Where the payer goes when the request has failed, and who goes back before signing ' +
          'in: it is still pending then.',
      }),
    required_scope: scopeText
      .transform((known) => formatScope(known) || null)
      .nullable()
      .default(null),
    required_scope_text: z.string().max(150).nullable().default(null),
    line_items: orElse(detailsInput.line_items, []),
    links: orElse(detailsInput.links, []),
  })
  .meta({ id: 'PaymentRequestInput' })

type PaymentFields = Fitting<z.output<typeof paymentRequestFields>>

const checkWhole = (input: PaymentFields, context: Issues): void => {
  const issue = (field: string, message: string) =>
    context.issues.push({ code: 'custom', message, path: [field], input })
  if (input.amount !== undefined && isZero(input.amount)) issue('amount', 'Must be larger than 0.')
  if (input.customer === null)
    for (const field of ['success_return_uri', 'failure_return_uri'] as const)
      if (input[field] === null) issue(field, 'Required when there is no customer.')
}

/** The body of POST /payment_request/ (interface 4.1). */
const paymentRequestOf = paymentRequestFields.transform(
  (input, context): Omit<PaymentRequest, 'merchant'> => {
    const { currency } = input
    checkWhole(input, context)
    return {
      posId: input.pos_id,
      posTid: input.pos_tid,
      action: input.action,
      currency,
      amount: amountIn(context, ['amount'], input.amount, currency),
      additionalAmount: amountIn(context, ['additional_amount'], input.additional_amount, currency),
      additionalEdit: input.additional_edit,
      allowCredit: input.allow_credit,
      customer: input.customer,
      maxScanAge: input.max_scan_age,
      expiresIn: input.expires_in,
      text: input.text,
      ledger: input.ledger,
      callbackUri: input.callback_uri,
      displayMessageUri: input.display_message_uri,
      successReturnUri: input.success_return_uri,
      failureReturnUri: input.failure_return_uri,
      requiredScope: input.required_scope,
      requiredScopeText: input.required_scope_text,
      lineItems: lineItemsOf(input.line_items, currency, context),
      links: linksOf(input.links),
    }
  },
)

/** Checks the same amounts when other fields are invalid. */
const checkAmounts = (input: PaymentFields, context: Issues): void => {
  const { currency, line_items: items = [] } = input
  for (const field of ['amount', 'additional_amount'] as const) {
    const text = input[field]
    if (text !== undefined) amountIn(context, [field], text, currency)
  }
  checkLineAmounts(items, currency, context)
  const written = input.amount
  const amount = written && isZero(written) ? undefined : readableAmount(written, currency)
  context.issues.push(...sumProblems(items, amount, currency))
  const additionalAmount = readableAmount(input.additional_amount, currency)
  if (currency === undefined || amount === undefined || additionalAmount === undefined) return
  const [tooLarge] = issuesOf(['amount_is_too_large'])
  if (tooLarge && isTooLarge({ amount, additionalAmount }))
    context.issues.push({ code: 'custom', input, ...tooLarge })
}

export const paymentRequestInput = withCrossFieldCheck(
  paymentRequestOf,
  paymentRequestFields,
  (input, context) => {
    checkWhole(input, context)
    checkAmounts(input, context)
  },
)
