import {
  callbackEventNames,
  callbackEvents,
  displayCallbackName,
  displayMessageId,
  displayOf,
  isDisplayed,
  scanCallbackName,
} from '../domain/callback.ts'
import {
  isPaymentEvent,
  paymentEvents,
  type PaymentEvent,
} from '../domain/payment/payment-events.ts'
import { permissionEvents, type PermissionEvent } from '../domain/people/permission.ts'
import { idIn } from '../domain/stream.ts'
import type { PaymentRecorded } from './payment-lines.ts'
import { projection } from './projection.ts'
import {
  attempted,
  callbackQueue,
  emptyQueue,
  movedTo,
  retried,
  type CallbackQueueRow,
  withMessage,
} from './queued-messages.ts'
import { reportKey } from './reports.ts'

/** The display's queue gets only the steps of the payer. */
const displayed = (
  row: CallbackQueueRow | undefined,
  event: PaymentRecorded,
): CallbackQueueRow | undefined => {
  const { type, stream, metadata, data } = event
  switch (type) {
    case 'PaymentRequested': {
      const { displayMessageUri } = data.request
      return displayMessageUri === null
        ? undefined
        : emptyQueue(displayOf(stream), metadata.merchant, displayMessageUri)
    }
    case 'PaymentAmended':
      return data.displayMessageUri === undefined
        ? row
        : movedTo(data.displayMessageUri, row, displayOf(stream), metadata)
    default:
      return (
        row && withMessage(row, { ...event, id: displayMessageId(event.id) }, displayCallbackName)
      )
  }
}

/** Subjects of the queues that an event may change. */
const paymentQueues = ({ type, stream }: PaymentRecorded): string[] =>
  type === 'PaymentRequested' || type === 'PaymentAmended' || isDisplayed(type)
    ? [stream, displayOf(stream)]
    : [stream]

const hasCallback = (type: string): type is keyof typeof callbackEventNames =>
  type in callbackEventNames

const queueProjection = projection({
  table: callbackQueue,
  key: callbackQueue.subject,
  handles: [
    ...(Object.keys(paymentEvents) as PaymentEvent['type'][]),
    'ReportClosed',
    'ReportCompleted',
    ...(Object.keys(permissionEvents) as PermissionEvent['type'][]),
    ...(Object.keys(callbackEvents) as (keyof typeof callbackEvents)[]),
    'ShortlinkRegistered',
    'ShortlinkChanged',
    'ShortlinkRemoved',
    'ShortlinkScanned',
  ],
  begins: ['PaymentRequested', 'PermissionRequested'],
  keysOf: (event) => {
    if (isPaymentEvent(event)) return paymentQueues(event)
    const { type, stream, data } = event
    switch (type) {
      case 'CallbackAttempted':
      case 'CallbackRetryRequested':
        return [data.subject]
      case 'ReportClosed':
      case 'ReportCompleted':
        return [reportKey(stream, data.report)]
      case 'ShortlinkRegistered':
      case 'ShortlinkChanged':
      case 'ShortlinkRemoved':
        // Messages are about the shortlink's scans, which have their own stream.
        return [`scans-${idIn(stream)}`]
      default:
        return [stream]
    }
  },
  apply: (row, event, key) => {
    const { stream, metadata } = event
    if (isPaymentEvent(event) && key === displayOf(stream)) return displayed(row, event)
    switch (event.type) {
      case 'PaymentRequested':
      case 'PermissionRequested': {
        const { callbackUri } = event.data.request
        return callbackUri === null ? undefined : emptyQueue(stream, metadata.merchant, callbackUri)
      }
      case 'PaymentAmended':
        return event.data.callbackUri === undefined
          ? row
          : movedTo(event.data.callbackUri, row, stream, metadata)
      case 'ShortlinkRegistered':
      case 'ShortlinkChanged': {
        const { id, merchant, callbackUri } = event.data
        return movedTo(callbackUri, row, `scans-${id}`, { merchant, at: metadata.at })
      }
      case 'ReportClosed': {
        const { callbackUri } = event.data
        return callbackUri === null
          ? undefined
          : emptyQueue(String(key), metadata.merchant, callbackUri)
      }
      case 'ShortlinkRemoved':
        // Undelivered messages without an address would wait for ever.
        return row && row.callbackUri === null ? { ...row, waiting: [], abandoned: [] } : row
      case 'ShortlinkScanned':
        return row && withMessage(row, event, scanCallbackName)
      case 'CallbackTestRequested':
        return withMessage(
          emptyQueue(stream, metadata.merchant, event.data.uri),
          event,
          'test_event',
        )
      case 'CallbackAttempted':
        return row && attempted(row, event)
      case 'CallbackRetryRequested':
        return row && retried(row, event)
      default:
        return row && hasCallback(event.type)
          ? withMessage(row, event, callbackEventNames[event.type])
          : row
    }
  },
})

/** Adds the position of the event that changed the row last. */
export const callbackQueueProjection: typeof queueProjection = {
  ...queueProjection,
  apply: (row, event, key) => {
    const after = queueProjection.apply(row, event, key)
    return after && after !== row ? { ...after, position: event.position } : after
  },
}
