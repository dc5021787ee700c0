import { expect, test } from 'vitest'
import {
  callbackEventNames,
  callbackNameOf,
  displayCallbackName,
  displayMessageId,
  displayOf,
  displayTexts,
  isDisplayed,
  scanCallbackName,
  streamOfSubject,
} from '../../domain/callback-names.ts'
import { paymentEffects } from '../../domain/payment/payment-events.ts'

const callbacksAmongEffects: Record<string, string> = {}
for (const [type, effects] of Object.entries(paymentEffects))
  if ('callback' in effects) callbacksAmongEffects[type] = effects.callback

test('each event in the decisions has the callback event listed beside it', () => {
  expect(callbackEventNames).toEqual({
    ...callbacksAmongEffects,
    ReportCompleted: 'report_closed',
    SettlementMade: 'settlement_made',
    DestinationRested: 'callback_address_rested',
    NoticeRaised: 'portal',
    PermissionGranted: 'permission_request_answered',
    PermissionDeclined: 'permission_request_answered',
    PermissionFailed: 'permission_request_answered',
    PermissionExpired: 'permission_request_expired',
  })
})

test.each([
  ['PaymentRefunded', 3],
  ['SettlementMade', 2],
])('%s is told from its version %i on: nobody hears now of what happened before', (type, first) => {
  expect(callbackNameOf(type, first - 1)).toBeUndefined()
  expect(callbackNameOf(type, first)).toBe(callbackEventNames[type as 'PaymentRefunded'])
})

test('a scan and a display have callback events of their own', () => {
  expect([scanCallbackName, displayCallbackName]).toEqual(['shortlink_scanned', 'display_message'])
})

test('messages to a display have their own subject and id', () => {
  expect(displayOf('payment-t')).toBe('payment-t#display')
  expect(streamOfSubject(displayOf('payment-t'))).toBe('payment-t')
  expect(streamOfSubject('payment-t')).toBe('payment-t')
  expect(displayMessageId('e')).toBe('e-display')
})

test.each([...Object.keys(displayTexts), 'PaymentCaptured', 'ReportCompleted'])(
  'a display is told of %s only when there are words for it',
  (type) => {
    expect(isDisplayed(type)).toBe(!['PaymentCaptured', 'ReportCompleted'].includes(type))
  },
)
