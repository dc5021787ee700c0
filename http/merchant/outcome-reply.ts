import { z } from 'zod'
import type { PaymentView } from '../../application/merchant-views.ts'
import type { Pots } from '../../domain/money/money.ts'
import type { PaymentOutcome } from '../../domain/payment/payment-outcome.ts'
import type { Links } from '../addresses.ts'
import { dateTime, money, moneyIn } from '../wire.ts'
import { reportPath } from './report-reply.ts'
import type { TokensView } from '../../application/show-tokens.ts'
import { grantedClaims } from '../oauth/reply.ts'

/** Members of every AccessTokenResponse. */
export const tokenMembers = {
  access_token: z.string().nullable(),
  id_token: z.string().nullable(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().nullable().meta({ description: 'Seconds.' }),
  refresh_token: z.string().nullable(),
  scope: z.string().nullable().meta({ description: 'Space-delimited.' }),
}

/** All null when nothing is granted, or no longer. */
export const tokensView = (tokens: TokensView | null) => ({
  access_token: tokens && tokens.accessToken,
  id_token: tokens && tokens.idToken,
  token_type: 'Bearer' as const,
  expires_in: tokens && tokens.expiresIn,
  refresh_token: tokens && tokens.refreshToken,
  // An empty scope is shown as null (RFC 6749, 3.3).
  scope: (tokens && tokens.scope) || null,
})

export const userInfoReply = grantedClaims
  .nullable()
  .meta({ description: 'Every claim of the granted scopes, as far as it is known.' })

/** For tokens without a permission request: no fee and no report line. */
export const free = { currency: null, fee: '0.00', report_id: null } as const

export const grantedPermissionsReply = z
  .object({
    ...tokenMembers,
    currency: z.null(),
    fee: z.literal(free.fee),
    report_id: z.null(),
    user_info: userInfoReply,
  })
  .meta({ id: 'GrantedPermissions' })

export const grantedPermissionsView = (tokens: TokensView | null) =>
  tokens && { ...tokensView(tokens), ...free, user_info: tokens.userInfo }

const nullableText = z.string().nullable()

const captureReply = z
  .object({
    id: nullableText.meta({
      description: 'The capture_id; null for a capture of all that was left.',
    }),
    amount: money,
    additional_amount: money,
    date: dateTime,
    transaction_fee: money,
    interchange_fee: money,
  })
  .meta({ id: 'Capture' })

const refundReply = z
  .object({
    id: nullableText.meta({
      description: 'The refund_id; null for a refund of all that was left.',
    }),
    amount: money,
    additional_amount: money,
    text: nullableText,
    date: dateTime,
  })
  .meta({ id: 'Refund' })

/** The outcome of a payment request; also the object of callbacks. */
export const outcomeReply = z
  .object({
    currency: z.string(),
    amount: money,
    additional_amount: money,
    auth_amount: money,
    auth_additional_amount: money,
    released_amount: money,
    released_additional_amount: money,
    captures: z.array(captureReply),
    refunds: z.array(refundReply),
    status: z.enum(['pending', 'auth', 'ok', 'fail']),
    status_code: z.int(),
    customer: nullableText,
    date_modified: dateTime,
    date_expires: dateTime,
    credit: z.boolean(),
    interchange_fee: money,
    transaction_fee: money,
    report_id: nullableText,
    report_uri: nullableText,
    ledger: nullableText,
    attachment_uri: z
      .string()
      .optional()
      .meta({
        description:
          'Where to upload attachments for one hour; absent while pending, after fail, and once ' +
          'the payer is erased.',
      }),
    pos_id: z.string(),
    pos_tid: z.string(),
    tid: z.string(),
    permissions: grantedPermissionsReply.nullable(),
  })
  .meta({ id: 'PaymentOutcome' })

/** The report that holds a request's latest line. */
export type ReportOfLine = { readonly id: string; readonly uri: string }

/** The number of the report that was open at a log position. */
export type ReportHolding = (
  merchant: string,
  ledger: string,
  position: number,
) => number | Promise<number>

export const reportOfLine =
  (links: Links, reportHolding: ReportHolding) =>
  async ({
    merchant,
    lineLedger,
    linePosition,
  }: Pick<PaymentOutcome, 'merchant' | 'lineLedger' | 'linePosition'>): Promise<ReportOfLine> => {
    const id = String(await reportHolding(merchant, lineLedger, linePosition))
    return { id, uri: links.inBody(reportPath(lineLedger, id)) }
  }

export const outcomeView = (
  { outcome, customer, tokens }: PaymentView,
  report: ReportOfLine,
  link: { readonly attachment_uri?: string },
): z.input<typeof outcomeReply> => {
  const { currency } = outcome
  const amount = moneyIn(currency)
  const pots = (taken: Pots) => ({
    amount: amount(taken.amount),
    additional_amount: amount(taken.additionalAmount),
  })
  const captures = outcome.captures.flat()
  const refunds = outcome.refunds.flat()
  const charged = (name: 'fee' | 'interchange') =>
    [...captures, ...refunds].reduce((sum, { charge }) => sum + charge[name], 0)
  return {
    currency,
    amount: amount(outcome.amount),
    additional_amount: amount(outcome.additionalAmount),
    auth_amount: amount(outcome.available.amount),
    auth_additional_amount: amount(outcome.available.additionalAmount),
    released_amount: amount(outcome.released.amount),
    released_additional_amount: amount(outcome.released.additionalAmount),
    captures: captures.map(({ id, at, charge, ...taken }) => ({
      id,
      ...pots(taken),
      date: at,
      transaction_fee: amount(charge.fee),
      interchange_fee: amount(charge.interchange),
    })),
    refunds: refunds.map(({ id, at, text, ...taken }) => ({ id, ...pots(taken), text, date: at })),
    status: outcome.status,
    status_code: outcome.statusCode,
    customer,
    date_modified: outcome.modifiedAt,
    date_expires: outcome.expiresAt,
    credit: outcome.credit,
    interchange_fee: amount(charged('interchange')),
    transaction_fee: amount(charged('fee')),
    report_id: report.id,
    report_uri: report.uri,
    ledger: outcome.lineLedger,
    pos_id: outcome.posId,
    pos_tid: outcome.posTid,
    tid: outcome.tid,
    permissions: grantedPermissionsView(tokens),
    ...link,
  }
}
