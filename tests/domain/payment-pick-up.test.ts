import { describe, expect, test } from 'vitest'
import type { PaymentEvent } from '../../domain/payment/payment-events.ts'
import { payment } from '../../domain/payment/payment.ts'
import { examplesOf } from './given.ts'
import { commands, events, morning, request, requestEnds } from './payments.ts'

const given = examplesOf(payment)
const { ask, accept, decline, refuseFunds } = commands
const { aborted, authorized, declined, requested } = events

const awaitsScan: PaymentEvent = {
  type: 'PaymentRequested',
  data: { request, payer: null, expiresAt: requestEnds, shortlink: 'code' },
}
const pickUp = (payer = 'bob', scan = 'scan-1', at = morning) =>
  ({ type: 'PickUpPayment', at, payer, scan }) as const
const pickedUp = (payer = 'bob', scan = 'scan-1'): PaymentEvent => ({
  type: 'PaymentPickedUp',
  data: { payer, scan },
})

describe('a payment for the scanner of a shortlink', () => {
  test('given nothing, when it is requested, then it has no payer yet', () => {
    given()
      .when(ask({}, { payer: { shortlink: 'code' } }))
      .then(awaitsScan)
  })

  test.each([
    ['accepted', accept()],
    ['declined', decline()],
    ['refused for want of funds', refuseFunds()],
  ])('given no scan, then it cannot be %s', (_, command) => {
    given(awaitsScan).when(command).thenRefused('payment_is_not_picked_up')
  })

  test('given no scan, when it has ended, then it is the end that forbids an answer', () => {
    given(awaitsScan, aborted).when(accept()).thenRefused('payment_is_not_pending')
  })

  test('given no scan, when somebody scans, then it is theirs', () => {
    given(awaitsScan).when(pickUp()).then(pickedUp())
    const of = given(awaitsScan, pickedUp())
    of.when(accept({ payer: 'bob' })).then(authorized({ payer: 'bob' }))
    of.when(decline('bob')).then(declined('bob'))
    of.when(accept({ payer: 'alice' })).thenRefused('payment_is_for_another_payer')
    expect(of.state).toMatchObject({ payer: 'bob', scan: 'scan-1', status: 'pending' })
  })

  test('given a scan, when the same comes again, then nothing happens, even after the end', () => {
    given(awaitsScan, pickedUp()).when(pickUp()).thenNothing()
    given(awaitsScan, pickedUp(), aborted).when(pickUp()).thenNothing()
  })

  test('given a scan, when another comes, then it is refused', () => {
    given(awaitsScan, pickedUp())
      .when(pickUp('carol', 'scan-2'))
      .thenRefused('payment_is_picked_up')
  })

  test('given a payer who was named, when somebody scans, then it is refused', () => {
    given(requested()).when(pickUp()).thenRefused('payment_is_picked_up')
    given(requested({ customer: null }, null))
      .when(pickUp())
      .thenRefused('payment_is_picked_up')
  })

  test('given no scan, when it was aborted, then it cannot be picked up', () => {
    given(awaitsScan, aborted).when(pickUp()).thenRefused('payment_is_not_pending')
  })

  test('given no scan, when the last second has passed, then it cannot be picked up', () => {
    const { when } = given(awaitsScan)
    when(pickUp('bob', 'scan-1', requestEnds - 1)).then(pickedUp())
    when(pickUp('bob', 'scan-1', requestEnds)).thenRefused('payment_is_expired')
  })
})
