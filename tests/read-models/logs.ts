import fc from 'fast-check'
import type { CallbackEvent } from '../../domain/callback.ts'
import type { DomainEvent, Recorded } from '../../domain/events.ts'
import { newMerchant } from '../../domain/merchant/merchant.ts'
import { play, someSteps } from '../domain/payment-histories.ts'
import { morning } from '../domain/payments.ts'

type Happening = { readonly stream: string; readonly at: number; readonly event: DomainEvent }

const payment = (tid: string): fc.Arbitrary<Happening[]> =>
  someSteps.map((steps) =>
    play(steps).log.map(({ type, data, metadata }) => ({
      stream: `payment-${tid}`,
      at: metadata.at,
      event: { type, data } as DomainEvent,
    })),
  )

/** Registered, changed, removed, and registered again. */
const till = (id: string): fc.Arbitrary<Happening[]> => {
  const data = { merchant: 'sandbox', id, name: 'Till', type: 'store', location: null } as const
  const life: DomainEvent[] = [
    { type: 'PosRegistered', data },
    { type: 'PosChanged', data: { ...data, name: 'Front till' } },
    { type: 'PosRemoved', data: {} },
    { type: 'PosRegistered', data: { ...data, type: 'webshop' } },
  ]
  return fc
    .nat(life.length)
    .map((length) =>
      life
        .slice(0, length)
        .map((event, index) => ({ stream: `pos-sandbox/${id}`, at: morning + index, event })),
    )
}

/** Attempts at a payment's callback: failed, abandoned, retried, delivered. */
const deliveries = (tid: string, revision: number): fc.Arbitrary<Happening[]> => {
  const message = {
    subject: `payment-${tid}`,
    revision,
    event: 'payment_captured',
    seqno: revision,
  }
  const attempt = (
    result: 'delivered' | 'failed' | 'gone',
    nextAttemptAt: number | null,
  ): CallbackEvent => ({
    type: 'CallbackAttempted',
    data: {
      ...message,
      uri: 'https://shop.example/',
      attemptedAt: morning,
      result,
      httpStatus: null,
      problem: null,
      nextAttemptAt,
    },
  })
  const events = fc.constantFrom<CallbackEvent>(
    attempt('failed', morning + 5000),
    attempt('failed', null),
    attempt('gone', null),
    attempt('delivered', null),
    { type: 'CallbackRetryRequested', data: { ...message, nextAttemptAt: morning + 9000 } },
  )
  return fc
    .array(events, { maxLength: 5 })
    .map((some) =>
      some.map((event) => ({ stream: `callback-event-${tid}-${revision}`, at: morning, event })),
    )
}

const test: fc.Arbitrary<Happening[]> = fc.constant([
  {
    stream: 'callback-test-1',
    at: morning,
    event: { type: 'CallbackTestRequested', data: { uri: 'http://127.0.0.1:9/hook' } },
  },
])

const clock: fc.Arbitrary<Happening[]> = fc.constant([
  {
    stream: 'clock-service',
    at: morning,
    event: { type: 'ClockAdvanced', data: { aheadBy: 60_000 } },
  },
])

const sandbox = newMerchant({
  id: 'sandbox',
  businessName: 'Sandbox',
  currency: 'NOK',
  lookupIds: [],
  netmask: null,
})

/**
 * A merchant, with reports and settlements that take the lines of its payments as these continue.
 */
const books: fc.Arbitrary<Happening[]> = fc.constant([
  {
    stream: 'merchant-sandbox',
    at: morning,
    event: { type: 'MerchantRegistered', data: sandbox },
  },
  ...[1, 2, 3].flatMap((number): Happening[] => [
    {
      stream: 'ledger-sandbox/default',
      at: morning + number,
      event: {
        type: 'ReportClosed',
        data: { report: number, openedAt: morning, callbackUri: null },
      },
    },
    {
      stream: 'settlement-sandbox',
      at: morning + number,
      event: {
        type: 'SettlementStarted',
        data: { serial: number, settlementId: `sandbox-${number}`, dueAt: null },
      },
    },
  ]),
])

/** A log of several interleaved streams, each in order, at positions with gaps. */
export const someLogs: fc.Arbitrary<readonly Recorded[]> = fc
  .tuple(
    fc.tuple(
      ...['a', 'b', 'c', 'd', 'e'].map(payment),
      ...['till-1', 'till-2', 'till-3'].map(till),
      deliveries('a', 1),
      deliveries('a', 2),
      deliveries('b', 1),
      test,
      clock,
      books,
    ),
    fc.array(fc.nat(100), { minLength: 60, maxLength: 60 }),
  )
  .map(([streams, choices]) => {
    const waiting = streams.map((events) => [...events])
    const log: Recorded[] = []
    const revisions = new Map<string, number>()
    let position = 0
    /** A message is attempted only after its event. */
    const canCome = ([next]: readonly Happening[]): boolean =>
      next !== undefined &&
      (!next.stream.startsWith('callback-event-') ||
        log.some(({ id }) => next.stream === `callback-${id}`))
    for (let able = waiting.filter(canCome); able.length > 0; able = waiting.filter(canCome)) {
      const next = able[(choices[position % choices.length] ?? 0) % able.length]?.shift()
      if (!next) throw new Error('nothing waits')
      const { stream, at, event } = next
      const revision = (revisions.get(stream) ?? -1) + 1
      revisions.set(stream, revision)
      position += 1 + (revision % 3)
      const metadata = {
        at,
        merchant: 'sandbox',
        actor: 'daybook',
        correlationId: 'c',
        causationId: null,
        schema: 1,
      }
      const tid = stream.replace('payment-', '')
      log.push({ ...event, id: `event-${tid}-${revision}`, stream, revision, position, metadata })
    }
    return log
  })
