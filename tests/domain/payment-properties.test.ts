import { noFees } from '../../domain/accounting/fees.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callbackNameOf } from '../../domain/callback-names.ts'
import { fold } from '../../domain/decider.ts'
import { eventCatalogue } from '../../domain/events.ts'
import { paymentEvents, type PaymentEvent } from '../../domain/payment/payment-events.ts'
import { payment } from '../../domain/payment/payment.ts'
import { decisionOf } from './given.ts'
import {
  anInstant,
  counted,
  endOf,
  outcomeOf,
  paymentAfter,
  paymentRowOf,
  play,
  queueOf,
  recorded,
  someSteps,
  type Step,
  type Taken,
} from './payment-histories.ts'
import { events as example, morning } from './payments.ts'

const histories = someSteps.map(play)

const runs = { numRuns: 200 }

/** Commands that may be repeated at any time: they have an id, or can happen only once. */
const canBeRepeated = ({ command, events }: Taken): boolean => {
  if (events.length === 0) return false
  if (command.type === 'RefundPayment')
    return command.wanted !== 'everything' && command.wanted.id !== null
  return command.type !== 'RenewPayment' && command.type !== 'AmendPayment'
}

describe('for any history of commands', () => {
  test('the histories of this test meet every event, and every refusal of a payment', () => {
    const met = new Set<string>()
    for (const { events, taken } of fc.sample(histories, { numRuns: 1200, seed: 1 })) {
      for (const { type } of events) met.add(type)
      let state = payment.initial
      for (const { command, events } of taken) {
        const decision = decisionOf(payment, state, command)
        if (typeof decision === 'string') met.add(decision)
        state = fold(payment, events, state)
      }
    }
    expect([...met].sort()).toEqual(
      [
        ...Object.keys(paymentEvents),
        'additional_amount_is_not_confirmed',
        'additional_amount_is_not_editable',
        'additional_amount_is_too_high',
        'amount_is_disputed',
        'capture_exceeds_additional_amount',
        'capture_exceeds_authorization',
        'capture_id_is_missing',
        'capture_id_used_with_other_amounts',
        'capture_is_nothing',
        'conflicting_changes',
        'credit_is_not_allowed',
        'currency_differs_from_payment',
        'dispute_exceeds_captures',
        'dispute_is_closed',
        'dispute_is_past_due',
        'due_is_past',
        'ledger_is_unknown',
        'line_items_do_not_add_up',
        'nothing_is_captured',
        'nothing_is_left_to_capture',
        'payment_is_answered',
        'payment_is_expired',
        'payment_is_for_another_payer',
        'payment_is_not_authorized',
        'payment_is_not_pending',
        'payment_is_not_picked_up',
        'payment_is_not_releasable',
        'payment_is_picked_up',
        'pos_is_unknown',
        'pos_tid_used_with_other_data',
        'refund_exceeds_additional_amount',
        'refund_exceeds_captures',
        'refund_id_is_missing',
        'refund_id_used_with_other_amounts',
        'refund_is_nothing',
        'resource_is_unknown',
      ].sort(),
    )
  })

  test('in both pots, captured + released + available = authorised, and refunded + disputed ≤ captured, at every step', () => {
    fc.assert(
      fc.property(histories, ({ events, log }) => {
        for (let length = 1; length <= events.length; length++) {
          const row = outcomeOf(log.slice(0, length))
          for (const pot of counted(events.slice(0, length))) {
            const left = row?.available[pot.pot] ?? 0
            expect(pot.captured + pot.released + left).toBe(pot.authorized)
            expect(left).toBeGreaterThanOrEqual(0)
            expect(pot.disputed).toBeGreaterThanOrEqual(0)
            expect(pot.refunded + pot.disputed).toBeLessThanOrEqual(pot.captured)
          }
        }
      }),
      runs,
    )
  })

  test('what can be captured in the end is what the events leave of the authorisation, and not a unit more', () => {
    fc.assert(
      fc.property(histories, ({ state, events }) => {
        const [amount, tip] = counted(events).map(
          ({ authorized, captured, released }) => authorized - captured - released,
        )
        const at = (endOf(events) ?? 0) - 1
        const take = (amount = 0, additionalAmount = 0) => {
          const wanted = { id: 'new', currency: 'NOK', amount, additionalAmount }
          return decisionOf(payment, state, { type: 'CapturePayment', at, wanted, terms: noFees })
        }
        if (amount || tip) {
          expect(take(amount, tip)).toHaveLength(1)
          expect(take((amount ?? 0) + 1, tip)).toBe('capture_exceeds_authorization')
          expect(take(amount, (tip ?? 0) + 1)).toBe('capture_exceeds_additional_amount')
        } else expect(typeof take(1)).toBe('string')
      }),
      runs,
    )
  })

  test('every id is captured once and refunded once, and every amount is of something', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        const captures = events.flatMap((e) => (e.type === 'PaymentCaptured' ? [e.data] : []))
        const refunds = events.flatMap((e) => (e.type === 'PaymentRefunded' ? [e.data] : []))
        const refundIds = refunds.flatMap(({ refundId }) => refundId ?? [])
        expect(new Set(captures.map(({ captureId }) => captureId)).size).toBe(captures.length)
        expect(new Set(refundIds).size).toBe(refundIds.length)
        for (const { amount, additionalAmount } of [...captures, ...refunds]) {
          expect(Math.min(amount, additionalAmount)).toBeGreaterThanOrEqual(0)
          expect(amount + additionalAmount).toBeGreaterThan(0)
        }
      }),
      runs,
    )
  })

  test('a refund without an id leaves nothing to refund', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        for (const [index, event] of events.entries()) {
          if (event.type !== 'PaymentRefunded' || event.data.refundId !== null) continue
          for (const { refunded, disputed, captured } of counted(events.slice(0, index + 1)))
            expect(refunded + disputed).toBe(captured)
        }
      }),
      runs,
    )
  })

  test('every command sent twice at once has the effect of one', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const twice = steps.flatMap((step) => [step, step])
        expect(play(twice).events).toEqual(play(steps).events)
      }),
      runs,
    )
  })

  test('every command with an id repeated at any time takes effect once and is not an error', () => {
    const later = fc.array(fc.tuple(fc.nat(30), fc.nat(30), anInstant), { maxLength: 12 })
    fc.assert(
      fc.property(someSteps, later, (steps, repeats) => {
        const once = play(steps)
        const withRepeats: { step: Step; isRepeat: boolean }[] = []
        for (const [index, taken] of once.taken.entries()) {
          withRepeats.push({ step: taken, isRepeat: false })
          for (const [place, offset, at] of repeats) {
            const earlier = once.taken[index - offset]
            if (place !== index || !earlier || !canBeRepeated(earlier)) continue
            const command = 'at' in earlier.command ? { ...earlier.command, at } : earlier.command
            // An expiry depends on the clock: it recurs at the same time or later.
            const step = {
              at,
              command: command.type === 'ExpirePayment' ? earlier.command : command,
            }
            withRepeats.push({ step, isRepeat: true })
          }
        }
        const again = play(withRepeats.map(({ step }) => step))
        expect(again.events).toEqual(once.events)
        for (const [index, { isRepeat }] of withRepeats.entries())
          if (isRepeat) expect(again.taken[index]?.wasRefused).toBe(false)
      }),
      runs,
    )
  })

  test('once expired, nothing can be captured, whether or not the expiry is recorded, and every read says so', () => {
    fc.assert(
      fc.property(
        histories,
        fc.constantFrom(0, 1, 1000, 10 ** 9),
        ({ state, events, log }, delay) => {
          const end = endOf(events)
          const row = outcomeOf(log)
          if (end === undefined || !row) return
          const at = end + delay
          const wanted = { id: 'new', currency: 'NOK', amount: 1, additionalAmount: 0 }
          for (const known of [state, ...expiredAfter(state, at)])
            expect(
              decisionOf(payment, known, { type: 'CapturePayment', at, wanted, terms: noFees }),
            ).toMatch(/^(payment_is_not_authorized|nothing_is_left_to_capture)$/)
          const shown = outcomeOf(log, at)
          expect(['ok', 'fail']).toContain(shown?.status)
          expect(shown?.available).toEqual({ amount: 0, additionalAmount: 0 })
        },
      ),
      runs,
    )
  })

  test('until it has expired or ended, no read says that it has', () => {
    fc.assert(
      fc.property(histories, ({ events, log }) => {
        const end = endOf(events)
        const row = outcomeOf(log)
        if (end === undefined || !row) return
        expect(outcomeOf(log, end - 1)).toEqual(row)
      }),
      runs,
    )
  })

  test('a read at any time equals the row after the expiry was recorded at that time', () => {
    fc.assert(
      fc.property(histories, anInstant, ({ state, log }, at) => {
        const row = outcomeOf(log)
        if (!row) return
        const decision = decisionOf(payment, state, { type: 'ExpirePayment', at })
        const events = typeof decision === 'string' ? [] : decision
        const more = events.map((event, index) => recorded({ at, event }, log.length + index))
        // The log line is written when the expiry is recorded, not before.
        const untold = { linePosition: 0, lineLedger: '' }
        const after = { ...(outcomeOf([...log, ...more]) ?? row), ...untold }
        const shown = { ...outcomeOf(log, at), ...untold }
        expect(shown).toEqual(after)
      }),
      runs,
    )
  })

  test('what the handler folds after each append is what a replay of the log folds', () => {
    fc.assert(
      fc.property(histories, ({ state, log }) => {
        expect(paymentAfter(log)).toEqual(state)
      }),
      runs,
    )
  })

  test('an outcome dates each capture and refund with its event, and points at the latest line', () => {
    fc.assert(
      fc.property(histories, ({ log }) => {
        const outcome = outcomeOf(log)
        const datesOf = (type: PaymentEvent['type']) =>
          log.filter((event) => event.type === type).map(({ metadata }) => metadata.at)
        const without = ['PaymentAmended', 'PaymentPickedUp', 'PaymentRenewed']
        const ofDispute = ['PaymentEvidenceSent', 'PaymentDisputeLost']
        const lines = log.filter(({ type }) => ![...without, ...ofDispute].includes(type))
        expect(outcome?.captures.flat().map(({ at }) => at) ?? []).toEqual(
          datesOf('PaymentCaptured'),
        )
        expect(outcome?.refunds.flat().map(({ at }) => at) ?? []).toEqual(
          datesOf('PaymentRefunded'),
        )
        expect(outcome?.linePosition).toBe(lines.at(-1)?.position)
      }),
      runs,
    )
  })

  test('what is looked for among payments is as in their outcomes', () => {
    fc.assert(
      fc.property(histories, ({ log }) => {
        const outcome = outcomeOf(log)
        if (!outcome) {
          expect(paymentRowOf(log)).toBeUndefined()
          return
        }
        const { tid, merchant, customer, currency, amount, additionalAmount } = outcome
        const { credit, payer, expiresAt, status, statusCode, available, posId, posTid } = outcome
        const state = paymentAfter(log)
        const ledger = state.status === 'unrequested' ? '' : state.details.ledger
        const deadline = status === 'pending' || status === 'auth' ? expiresAt : null
        const [first] = log
        const { text } = first?.type === 'PaymentRequested' ? first.data.request : {}
        const answered = log.find(
          ({ type }) => !['PaymentRequested', 'PaymentAmended', 'PaymentPickedUp'].includes(type),
        )
        const moved = log.findLast(({ type, position }) =>
          type === 'PaymentAmended' ? false : !answered || position <= answered.position,
        )
        const scanned = log.flatMap((event) =>
          event.type === 'PaymentPickedUp' ? [event.data.scan] : [],
        )
        const sumOf = (type: 'PaymentCaptured' | 'PaymentRefunded') =>
          log
            .flatMap((event) => (event.type === type ? event.data : []))
            .reduce((sum, { amount, additionalAmount }) => sum + amount + additionalAmount, 0)
        expect(paymentRowOf(log)).toEqual({
          ...{ tid, merchant, ledger, customer, currency, amount, additionalAmount },
          ...{ customerKey: customer, statusCode, modifiedAt: outcome.modifiedAt },
          captured: sumOf('PaymentCaptured'),
          refunded: sumOf('PaymentRefunded'),
          requestedAt: first?.metadata.at,
          requestedPosition: first?.position,
          ...{ credit, payer, expiresAt, deadline, posId, posTid, text },
          amountLeft: available.amount,
          additionalAmountLeft: available.additionalAmount,
          scan: scanned.at(-1) ?? null,
          isWaiting: status === 'pending',
          capturesAtOnce: false,
          inboxPosition: moved?.position,
          callbackUri: state.status === 'unrequested' ? null : state.details.callbackUri,
          modifiedAt: outcome.modifiedAt,
          told: log.filter(({ type }) => callbackNameOf(type, 1) !== undefined).length,
        })
      }),
      runs,
    )
  })

  test('a payment keeps the request as last amended, and its deadline', () => {
    fc.assert(
      fc.property(histories, ({ state, log }) => {
        const [asked] = log
        if (state.status === 'unrequested' || asked?.type !== 'PaymentRequested') {
          expect([state.status, asked]).toEqual(['unrequested', undefined])
          return
        }
        const { request, expiresAt } = asked.data
        const { ledger, callbackUri, displayMessageUri, links, lineItems } = request
        const first = { ledger, callbackUri, displayMessageUri, links, lineItems }
        const amended = log.flatMap(({ type, data }) => (type === 'PaymentAmended' ? data : []))
        expect(state.request).toEqual(request)
        expect(state.details).toEqual(Object.assign({ ...first }, ...amended))
        expect(state.waitsUntil).toBe(expiresAt)
      }),
      runs,
    )
  })

  test('every callback message is counted, and those with an address go there as last amended', () => {
    fc.assert(
      fc.property(histories, ({ state, log }) => {
        let uri: string | null = null
        let count = 0
        const told: (readonly [number, string])[] = []
        for (const { id, type, data, metadata } of log) {
          if (type === 'PaymentRequested') uri = data.request.callbackUri
          else if (type === 'PaymentAmended' && data.callbackUri !== undefined)
            uri = data.callbackUri
          else if (callbackNameOf(type, metadata.schema) !== undefined) {
            count += 1
            if (uri !== null) told.push([count, id])
          }
        }
        const { waiting = [], callbackUri = null } = queueOf(log) ?? {}
        expect(paymentRowOf(log)?.told ?? 0).toBe(count)
        expect(waiting.map(({ id, seqno }) => [seqno, id])).toEqual(told)
        expect(callbackUri).toBe(state.status === 'unrequested' ? null : state.details.callbackUri)
      }),
      runs,
    )
  })

  test('every event passes its schema and survives JSON, unchanged', () => {
    fc.assert(
      fc.property(histories, ({ events }) => {
        for (const { type, data } of events) {
          expect(eventCatalogue[type].parse(data)).toEqual(data)
          expect(JSON.parse(JSON.stringify(data))).toStrictEqual(data)
        }
      }),
      runs,
    )
  })
})

/** The state after the expiry is recorded; undefined if nothing expires. */
const expiredAfter = (state: Parameters<typeof payment.decide>[1], at: number) => {
  const decision = decisionOf(payment, state, { type: 'ExpirePayment', at })
  return typeof decision === 'string' ? [] : [fold(payment, decision, state)]
}

test('for any events in any order, evolving never throws', () => {
  const events = fc.array(
    someSteps.map((steps) => play(steps).events).chain((some) => fc.shuffledSubarray([...some])),
    { maxLength: 4 },
  )
  fc.assert(
    fc.property(events, (parts) => {
      const some: PaymentEvent[] = parts.flat()
      expect(() => fold(payment, some)).not.toThrow()
    }),
    runs,
  )
})

test('an outcome never goes back in time: a refund between the deadline and its record stays the last change', () => {
  const until = morning - 1000
  const happened = [
    example.requested(),
    example.authorized({ expiresAt: until }),
    example.captured('a', 1),
    example.refunded('r', 1),
  ]
  const log = happened.map((event, revision) => recorded({ at: morning, event }, revision))
  const data = { expiredAt: until, amount: 9999, additionalAmount: 1000 }
  const expired = { type: 'PaymentAuthorizationExpired', data } as const
  const after = outcomeOf([...log, recorded({ at: morning + 5000, event: expired }, log.length)])
  const read = outcomeOf(log, morning)
  expect(read).toMatchObject({ status: 'fail', statusCode: 5012, modifiedAt: morning })
  const { linePosition } = after ?? {}
  expect(after).toEqual({ ...read, linePosition })
})
