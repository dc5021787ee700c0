import fc from 'fast-check'
import { stateAfter } from '../../application/find-state.ts'
import { noFees } from '../../domain/accounting/fees.ts'
import { fold } from '../../domain/decider.ts'
import type { Recorded } from '../../domain/events.ts'
import type { Pots } from '../../domain/money/money.ts'
import type {
  Customer,
  PaymentCommand,
  RequestedAmounts,
} from '../../domain/payment/payment-command.ts'
import type { LineItem, PaymentEvent } from '../../domain/payment/payment-events.ts'
import { outcomeAt, type PaymentOutcome } from '../../domain/payment/payment-outcome.ts'
import type { Payment } from '../../domain/payment/payment-state.ts'
import { payment } from '../../domain/payment/payment.ts'
import type { Instant } from '../../domain/time.ts'
import { callbackQueueProjection } from '../../projections/callback-queue.ts'
import type { PaymentRow } from '../../projections/payment-table.ts'
import { paymentProjection } from '../../projections/payments.ts'
import { decisionOf } from './given.ts'
import {
  authorizationEnds,
  hours,
  lineItem,
  morning,
  request,
  requestEnds,
  threeDays,
} from './payments.ts'

/** A command and its time, which may precede that of the previous command. */
export type Step = { readonly at: Instant; readonly command: PaymentCommand }

const often = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value)

/** Times around the deadlines of the request, the authorisation and a renewal, and some others. */
export const anInstant: fc.Arbitrary<Instant> = fc
  .tuple(
    fc.constantFrom(
      ...often(6, morning),
      requestEnds,
      authorizationEnds,
      authorizationEnds + 5 * hours,
    ),
    fc.constantFrom(-hours, -1000, -1, 0, 1, 1000, 5 * hours, threeDays),
  )
  .map(([instant, offset]) => instant + offset)

/** Few ids and small amounts, so that repeats, conflicts and limits are frequent. */
const wanted: fc.Arbitrary<RequestedAmounts> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('everything' as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      id: fc.constantFrom('a', 'b', 'c', null),
      currency: fc.constantFrom(...often(5, 'NOK'), 'SEK'),
      amount: fc.constantFrom(0, 1, 2, 3, 7, 10),
      additionalAmount: fc.constantFrom(0, 0, 1, 2),
    }),
  },
)

const terms = fc.constantFrom(noFees, {
  ...noFees,
  transactionRate: '0.009',
  transactionFixed: 1,
  interchangeRate: '0.25',
})

const payer = fc.constantFrom(...often(3, 'alice'), 'bob')

/** Whoever scans it becomes the payer. */
const code = { shortlink: 'code' }

const additionalAmount = fc.constantFrom(null, null, 0, 2, 3, 11, 101)

const callbackUri = fc.constantFrom(null, 'https://shop.example/callback')

const ledger = fc.constantFrom('default', 'default', 'other')

const lineItems = fc.constantFrom<LineItem[]>(
  [],
  [lineItem(10)],
  [lineItem(7), lineItem(3)],
  [lineItem(9)],
)

const requests = fc.record({
  amount: fc.constantFrom(10, 10, 10, 1),
  additionalAmount: fc.constantFrom(0, 3),
  additionalEdit: fc.boolean(),
  allowCredit: fc.boolean(),
  callbackUri,
})

/** Long because it has an arbitrary for each command. */
const commandAt = (at: Instant): fc.Arbitrary<PaymentCommand> => {
  const of = <Type extends PaymentCommand['type']>(type: Type) => ({
    type: fc.constant(type),
    at: fc.constant(at),
  })
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        ...of('AuthorizePayment'),
        payer,
        additionalAmount,
        isConfirmed: fc.boolean(),
        credit: fc.boolean(),
      }),
    },
    { weight: 6, arbitrary: fc.record({ ...of('CapturePayment'), wanted, terms }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('RefundPayment' as const),
        wanted,
        terms,
        text: fc.constantFrom(null, 'Cold soup'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        ...of('OpenDispute'),
        dispute: fc.constantFrom(1, 1, 2, 3),
        gross: fc.constantFrom(null, 1, 2, 7),
        reason: fc.constantFrom('fraud', 'not delivered'),
        due: fc.constantFrom(at + hours, at + hours, at),
        fee: fc.constantFrom(0, 150),
        terms,
      }),
    },
    fc.record({
      ...of('SendEvidence'),
      dispute: fc.constantFrom(1, 2),
      contents: fc.array(
        fc.record({
          kind: fc.constant('png' as const),
          hash: fc.constantFrom('h1', 'h2'),
          size: fc.constant(9),
        }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    fc.record({
      type: fc.constant('CloseDispute' as const),
      dispute: fc.constantFrom(1, 1, 2),
      outcome: fc.constantFrom('won' as const, 'lost' as const),
    }),
    fc.record({ ...of('DeclinePayment'), payer }),
    fc.record({ ...of('PickUpPayment'), payer, scan: fc.constantFrom('s1', 's2') }),
    fc.record({
      ...of('RefuseFunds'),
      payer,
      statusCode: fc.constantFrom(5007 as const, 5008 as const),
    }),
    fc.record(of('ReleasePayment')),
    fc.record(of('RenewPayment')),
    fc.record(of('ExpirePayment')),
    fc.record({
      type: fc.constant('AmendPayment' as const),
      changes: fc.record({ ledger, callbackUri, lineItems }, { requiredKeys: [] }),
      ledgerIsOpen: fc.boolean(),
    }),
    fc.record({
      ...of('RequestPayment'),
      request: requests.map((changes) => ({ ...request, ...changes })),
      facts: fc.record({
        payer: fc.constantFrom({ id: 'alice' }, code, 'anyone' as const, 'unknown' as const),
        posIsKnown: fc.boolean(),
        ledgerIsOpen: fc.boolean(),
      }),
    }),
  )
}

/** Instants are few, and their commands costly to describe. */
const stepsAt = new Map<Instant, fc.Arbitrary<Step>>()

const step: fc.Arbitrary<Step> = anInstant.chain((at) => {
  const known = stepsAt.get(at) ?? commandAt(at).map((command) => ({ at, command }))
  stepsAt.set(at, known)
  return known
})

const opening = (changes: object, payer: Customer): Step => ({
  at: morning,
  command: {
    type: 'RequestPayment',
    at: morning,
    request: { ...request, ...changes },
    facts: { payer, posIsKnown: true, ledgerIsOpen: true },
  },
})

const acceptance: Step = {
  at: morning,
  command: {
    type: 'AuthorizePayment',
    at: morning,
    payer: 'alice',
    additionalAmount: null,
    credit: false,
  },
}

/**
 * Any commands in any order; most histories start with a request, and many continue with the
 * acceptance.
 */
export const someSteps: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.constantFrom('accepted', 'accepted', 'requested', 'requested', 'nothing'),
    requests,
    fc.constantFrom({ id: 'alice' }, { id: 'alice' }, code, 'anyone' as const, 'unknown' as const),
    fc.array(step, { maxLength: 30, size: 'max' }),
  )
  .map(([beginning, changes, payer, rest]) => {
    if (beginning === 'nothing') return rest
    const opened = opening(changes, payer)
    return beginning === 'requested' ? [opened, ...rest] : [opened, acceptance, ...rest]
  })

/** The outcome of a command. */
export type Taken = Step & {
  readonly events: readonly PaymentEvent[]
  readonly wasRefused: boolean
}

type History = {
  readonly state: Payment
  readonly taken: readonly Taken[]
  readonly events: readonly PaymentEvent[]
  readonly log: readonly Recorded<PaymentEvent>[]
}

/** Runs commands through the decider, like the handler. */
export const play = (steps: readonly Step[]): History => {
  let state: Payment = payment.initial
  const taken: Taken[] = []
  let position = 0
  for (const step of steps) {
    const decision = decisionOf(payment, state, step.command)
    const wasRefused = typeof decision === 'string'
    const events = wasRefused ? [] : decision
    position += events.length
    state = fold(payment, events, state, { at: step.at, position })
    taken.push({ ...step, events, wasRefused })
  }
  const log = taken
    .flatMap(({ at, events }) => events.map((event) => ({ at, event })))
    .map(recorded)
  return {
    state,
    taken,
    events: log.map(({ type, data }) => ({ type, data }) as PaymentEvent),
    log,
  }
}

/** An event as recorded in the log of payment `payment-t`. */
export const recorded = (
  { at, event }: { readonly at: Instant; readonly event: PaymentEvent },
  revision: number,
): Recorded<PaymentEvent> => ({
  ...event,
  id: `event-${revision}`,
  stream: 'payment-t',
  revision,
  position: revision + 1,
  metadata: {
    at,
    merchant: 'sandbox',
    actor: 'user:pos1',
    correlationId: 'request-1',
    causationId: null,
    schema: 1,
  },
})

export const paymentAfter = (log: readonly Recorded<PaymentEvent>[]): Payment =>
  stateAfter(payment, log, payment.initial)

/** The outcome after these events at a moment; by default before any expiry. */
export const outcomeOf = (
  log: readonly Recorded<PaymentEvent>[],
  at: Instant = -Infinity,
): PaymentOutcome | undefined => {
  const state = paymentAfter(log)
  return state.status === 'unrequested' ? undefined : outcomeAt('t', state, at)
}

/** The row after these events. */
export const paymentRowOf = (log: readonly Recorded<PaymentEvent>[]): PaymentRow | undefined =>
  log.reduce<PaymentRow | undefined>(
    (row, event) => paymentProjection.apply(row, event, 't'),
    undefined,
  )

/** The message queue after these events. */
export const queueOf = (log: readonly Recorded<PaymentEvent>[]) => {
  const { handles, keysOf, apply, messages } = callbackQueueProjection
  let row: PaymentRow | undefined
  let queue: ReturnType<typeof apply>
  for (const event of log) {
    const after = paymentProjection.apply(row, event, 't')
    const message = paymentProjection.message?.(row, after, event)
    row = after
    if (message)
      for (const key of messages?.keysOf(message) ?? [])
        queue = messages?.apply(queue, message, key)
    if (handles.has(event.type) && keysOf(event).includes(event.stream))
      queue = apply(queue, event, event.stream)
  }
  return queue
}

/** The sums of one pot, counted from events without the code under test. */
const countedIn = (pot: keyof Pots, events: readonly PaymentEvent[]) => {
  const sum = (...types: PaymentEvent['type'][]) =>
    events
      .filter(({ type }) => types.includes(type))
      .reduce((total, { data }) => total + Number((data as Partial<Pots>)[pot]), 0)
  const asked = events.find(({ type }) => type === 'PaymentRequested')
  const accepted = events.find(({ type }) => type === 'PaymentAuthorized')
  const amount = asked?.type === 'PaymentRequested' ? asked.data.request.amount : 0
  const tip = accepted?.type === 'PaymentAuthorized' ? accepted.data.additionalAmount : 0
  return {
    pot,
    authorized: accepted ? { amount, additionalAmount: tip }[pot] : 0,
    captured: sum('PaymentCaptured'),
    released: sum('PaymentReleased', 'PaymentAuthorizationExpired'),
    refunded: sum('PaymentRefunded'),
    disputed: sum('PaymentDisputed') - sum('PaymentDisputeWon'),
  }
}

export const counted = (events: readonly PaymentEvent[]) => [
  countedIn('amount', events),
  countedIn('additionalAmount', events),
]

/** The deadline of the payment, according to its last event with one. */
export const endOf = (events: readonly PaymentEvent[]): Instant | undefined => {
  const ends = events.flatMap((event) =>
    event.type === 'PaymentRequested' ||
    event.type === 'PaymentAuthorized' ||
    event.type === 'PaymentRenewed'
      ? event.data.expiresAt
      : [],
  )
  return ends.at(-1)
}
