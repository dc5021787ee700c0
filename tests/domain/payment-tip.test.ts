import { describe, expect, test } from 'vitest'
import { commands, events } from './payments.ts'
import { given, pending, pots } from './payment-examples.ts'

const { accept } = commands

const { requested, authorized } = events

describe('the tip that the payer gives', () => {
  test('given a tip that may be edited, when the payer gives another, it is authorised', () => {
    const editable = requested({ additionalEdit: true })
    const another = authorized({ additionalAmount: 2500 })
    given(editable)
      .when(accept({ additionalAmount: 2500 }))
      .then(another)
    given(editable)
      .when(accept({ additionalAmount: 0 }))
      .then(authorized({ additionalAmount: 0 }))
    expect(given(editable, another).state).toMatchObject({ authorized: pots(10_000, 2500) })
  })

  test('given a tip that may not be edited, when the payer gives another, it is refused', () => {
    given(...pending)
      .when(accept({ additionalAmount: 2500 }))
      .thenRefused('additional_amount_is_not_editable')
    given(...pending)
      .when(accept({ additionalAmount: 1000 }))
      .then(authorized())
  })

  describe('given 100.00 and a tip that may be edited', () => {
    const editable = requested({ additionalEdit: true })

    test('when the payer gives as much as the amount, then it needs no confirmation', () => {
      given(editable)
        .when(accept({ additionalAmount: 10_000 }))
        .then(authorized({ additionalAmount: 10_000 }))
    })

    test('when the payer gives more than the amount, then it needs a confirmation', () => {
      given(editable)
        .when(accept({ additionalAmount: 10_001 }))
        .thenRefused('additional_amount_is_not_confirmed')
      given(editable)
        .when(accept({ additionalAmount: 10_001, isConfirmed: true }))
        .then(authorized({ additionalAmount: 10_001 }))
    })

    test('when the payer gives more than ten times the amount, then no confirmation helps', () => {
      given(editable)
        .when(accept({ additionalAmount: 100_000, isConfirmed: true }))
        .then(authorized({ additionalAmount: 100_000 }))
      given(editable)
        .when(accept({ additionalAmount: 100_001, isConfirmed: true }))
        .thenRefused('additional_amount_is_too_high')
    })

    test('when the payer leaves what the shop asked for, then it needs no confirmation', () => {
      const asked = requested({ additionalEdit: true, additionalAmount: 200_000 })
      given(asked)
        .when(accept())
        .then(authorized({ additionalAmount: 200_000 }))
      given(asked)
        .when(accept({ additionalAmount: 200_000 }))
        .then(authorized({ additionalAmount: 200_000 }))
    })
  })
})
