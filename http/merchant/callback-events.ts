import { z } from 'zod'
import {
  callbackEventNames,
  displayCallbackName,
  scanCallbackName,
} from '../../domain/callback-names.ts'
import { noticeKinds } from '../../domain/merchant/notice.ts'
import { paymentCallbacks } from '../../domain/payment/payment-events.ts'
import { dateTime } from '../wire.ts'
import { disputeReply } from './dispute.ts'
import { outcomeReply } from './outcome-reply.ts'
import { permissionOutcomeReply } from './permission.ts'
import { reportReply } from './report-reply.ts'
import { settlementReply } from './settlement.ts'

const names = [
  ...new Set(Object.values(callbackEventNames)),
  scanCallbackName,
  displayCallbackName,
  'test_event',
] as const

export type CallbackName = (typeof names)[number]

const meta = z
  .object({
    id: z.string().meta({ description: 'Stable over retries: what came before can be left out.' }),
    event: z.enum(names),
    uri: z.string().nullable().meta({
      description:
        'Full URL where the merchant can read the object as it is now; null without one.',
    }),
    timestamp: dateTime,
    seqno: z.int().meta({
      description: '1, 2, 3 … per resource; what a display is told is counted by itself.',
    }),
    merchant_id: z.string().nullable().meta({
      description: 'Whose it is: a receiver takes its own only.',
    }),
  })
  .meta({ id: 'CallbackMeta' })

const callbackMessage = <Object extends z.ZodType>(id: string, object: Object) =>
  z
    .object({ meta, object: object.optional() })
    .meta({ id, description: 'There is no object over http and on public channels.' })

const text = z.object({ text: z.string() })

const scan = z.object({
  id: z.string().meta({ description: 'The `customer` of a payment request, for one day.' }),
  argstring: z.string().meta({ description: 'What follows the shortlink_value in the code.' }),
})

const paymentMessage = callbackMessage('PaymentCallback', outcomeReply)

const disputeMessage = callbackMessage('DisputeCallback', disputeReply)

const permissionMessage = callbackMessage('PermissionCallback', permissionOutcomeReply)

const restedMessage = callbackMessage(
  'RestedCallback',
  z.object({
    callback_address: z.string().meta({ description: 'Scheme and host.' }),
    failing_since: dateTime,
    problem: z.string().nullable().meta({ description: 'The last one, in words.' }),
  }),
)

const noticeMessage = callbackMessage(
  'NoticeCallback',
  z.object({
    kind: z.enum(noticeKinds),
    about: z.string().meta({ description: 'The tid, address, settlement or member.' }),
    currency: z.string().nullable(),
    amount: z.string().nullable().meta({ description: 'What is not captured.' }),
    date_until: dateTime.nullable().meta({ description: 'When it is too late.' }),
  }),
)

const textMessage = (id: string) =>
  z
    .object({ meta, object: text.optional() })
    .meta({ id, description: 'There is no object on public channels.' })

const scanMessage = z.object({ meta, object: scan }).meta({ id: 'ScanCallback' })

type EventDoc = { readonly summary: string; readonly message: z.ZodType }

const aboutPayment = (summary: string): EventDoc => ({ summary, message: paymentMessage })

const ofPayments = Object.fromEntries(
  Object.entries(paymentCallbacks).map(([name, summary]) => [name, aboutPayment(summary)]),
) as Record<keyof typeof paymentCallbacks, EventDoc>

/**
 * Every callback event (interface 4.4 and 13) with its message's schema. Sending and documentation
 * both use this table.
 */
export const callbacks = {
  ...ofPayments,
  dispute_opened: { summary: paymentCallbacks.dispute_opened, message: disputeMessage },
  dispute_closed: { summary: paymentCallbacks.dispute_closed, message: disputeMessage },
  permission_request_answered: {
    summary:
      'The payer has granted all or a part, or has declined, which gives no token; or there is ' +
      'no such payer.',
    message: permissionMessage,
  },
  permission_request_expired: {
    summary: 'Nobody has answered the permission request in time.',
    message: permissionMessage,
  },
  report_closed: {
    summary: 'A report is closed: its summary and logs are complete.',
    message: callbackMessage('ReportCallback', reportReply),
  },
  settlement_made: {
    summary: 'A settlement is made; it goes to the `callback_uri` of the merchant.',
    message: callbackMessage('SettlementCallback', settlementReply),
  },
  callback_address_rested: {
    summary: 'An address has taken nothing for five days, and gets nothing now; in the feed only.',
    message: restedMessage,
  },
  portal: {
    summary: 'Something needs somebody, as the portal shows it; in the feed only.',
    message: noticeMessage,
  },
  shortlink_scanned: {
    summary: 'Somebody has scanned the code of a shortlink.',
    message: scanMessage,
  },
  display_message: {
    summary: 'What to show at the till; it goes to the `display_message_uri` of a payment request.',
    message: textMessage('DisplayCallback'),
  },
  test_event: {
    summary: 'Asked for in the sandbox, to try an address.',
    message: textMessage('TestCallback'),
  },
} as const satisfies Readonly<Record<CallbackName, EventDoc>>

export const isCallbackName = (name: string): name is CallbackName => Object.hasOwn(callbacks, name)
