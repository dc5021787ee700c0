import type { LedgerEvent } from './accounting/ledger.ts'
import type { SettlementEvent } from './accounting/settlement-events.ts'
import type { destinationEvents } from './callback-destination.ts'
import type { EventsOf } from './decider.ts'
import type { noticeEvents } from './merchant/notice.ts'
import { paymentEffects, type PaymentEvent, type WithEffect } from './payment/payment-events.ts'
import type { PermissionEvent } from './people/permission.ts'

type OfPayments = {
  readonly [Type in WithEffect<'callback'>]: (typeof paymentEffects)[Type]['callback']
}

const ofPayments = Object.fromEntries(
  Object.entries(paymentEffects).flatMap(([type, effects]) =>
    'callback' in effects ? [[type, effects.callback]] : [],
  ),
) as OfPayments

type EventWithCallback =
  | PaymentEvent
  | PermissionEvent
  | LedgerEvent
  | SettlementEvent
  | EventsOf<typeof destinationEvents>
  | EventsOf<typeof noticeEvents>

/** Callback event of each event type (interface 4.4 and 13). */
export const callbackEventNames = {
  ...ofPayments,
  PermissionGranted: 'permission_request_answered',
  PermissionDeclined: 'permission_request_answered',
  PermissionFailed: 'permission_request_answered',
  PermissionExpired: 'permission_request_expired',
  ReportCompleted: 'report_closed',
  SettlementMade: 'settlement_made',
  DestinationRested: 'callback_address_rested',
  NoticeRaised: 'portal',
} as const satisfies Partial<Record<EventWithCallback['type'], string>>

type CallbackEventType = keyof typeof callbackEventNames

/** First schema version with a callback, so that old events are not announced now. */
const firstSchemaWithCallback: Partial<Record<CallbackEventType, number>> = {
  PaymentRefunded: 3,
  SettlementMade: 2,
}

/** The callback event of an event, by its type and schema version. */
export const callbackNameOf = (
  type: string,
  schema: number,
): (typeof callbackEventNames)[CallbackEventType] | undefined => {
  if (!Object.hasOwn(callbackEventNames, type)) return undefined
  const event = type as CallbackEventType
  return schema < (firstSchemaWithCallback[event] ?? 1) ? undefined : callbackEventNames[event]
}

/** Built from its event alone; other callbacks show the folded stream. */
export const scanCallbackName = 'shortlink_scanned'

/** Messages for the display at the till (interface 13), sent to their own address. */
export const displayCallbackName = 'display_message'

export const displayTexts = {
  PaymentPickedUp: 'The code has been scanned.',
  PaymentAuthorized: 'The payment has been accepted.',
  PaymentDeclined: 'The payment has been declined.',
  PaymentFailed: 'The payment has been refused.',
} as const satisfies Partial<Record<PaymentEvent['type'], string>>

export const isDisplayed = (type: string): type is keyof typeof displayTexts => type in displayTexts

/** Subject of display messages, which have their own sequence numbers. */
export const displayOf = (stream: string): string => `${stream}#display`

/** The event id itself belongs to the ordinary callback. */
export const displayMessageId = (event: string): string => `${event}-display`

/** Subjects that share a stream add a `#` suffix to its name. */
export const streamOfSubject = (subject: string): string => subject.split('#')[0] ?? subject

/** Subject of the messages of a run to an event destination. */
export const subjectOfRun = (subject: string, run: string): string => `${subject}#to-${run}`

/** Reverses `subjectOfRun`; undefined for a subject of the contract's addresses. */
export const runOfSubject = (
  subject: string,
): { readonly subject: string; readonly run: string } | undefined => {
  const [, of, run] = /^(.+)#to-([^#]+)$/.exec(subject) ?? []
  return of === undefined || run === undefined ? undefined : { subject: of, run }
}

/** Id of a message of a run. Receivers get the id of the message that others got. */
export const messageIdOfRun = (id: string, run: string): string => `${id}.${run}`

export const receivedId = (id: string): string => id.split('.')[0] ?? id
