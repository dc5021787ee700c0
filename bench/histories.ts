import { randomBytes, randomUUID } from 'node:crypto'
import { payments } from '../domain/aggregates.ts'
import { type EventStore, type NewEvent, noStream } from '../application/event-store.ts'
import { noFees } from '../domain/accounting/fees.ts'
import { schemaVersion } from '../domain/events.ts'
import type { PaymentCommand } from '../domain/payment/payment-command.ts'
import type { PaymentEvent, PaymentRequest } from '../domain/payment/payment-events.ts'
import type { Payment } from '../domain/payment/payment-state.ts'
import { deriveIds, makeDigest } from '../infrastructure/event-store/derived-ids.ts'

const began = Date.UTC(2026, 0, 1)

const tidOf = deriveIds(makeDigest(randomBytes(32).toString('base64')), 'clustered', 'tid')

export const requestOf = (count: number, merchant: string): PaymentRequest => ({
  merchant,
  posId: 'till-1',
  posTid: `order-${count}`,
  action: 'auth',
  currency: 'NOK',
  amount: 25_000,
  additionalAmount: 0,
  additionalEdit: false,
  allowCredit: false,
  customer: '4799999901',
  maxScanAge: 60,
  expiresIn: 21_600,
  text: 'Two coffees and a bun',
  successReturnUri: null,
  failureReturnUri: null,
  requiredScope: null,
  requiredScopeText: null,
  ledger: 'default',
  callbackUri: null,
  displayMessageUri: null,
  lineItems: [],
  links: [],
})

const capture = (at: number, id: string): PaymentCommand => ({
  type: 'CapturePayment',
  at,
  wanted: { id, currency: 'NOK', amount: 5_000, additionalAmount: 0 },
  terms: noFees,
})

/** Of ten payments six are captured in parts, one is aborted, one declined, two are refunded. */
export const commandsOf = (
  count: number,
  at: number,
  requested: PaymentRequest,
): PaymentCommand[] => {
  const facts = { payer: { id: 'alice' }, posIsKnown: true, ledgerIsOpen: true }
  const request = {
    type: 'RequestPayment',
    at,
    request: requested,
    facts,
  } as const
  const payer = 'alice'
  const accept = {
    type: 'AuthorizePayment',
    at: at + 5_000,
    payer,
    additionalAmount: null,
    credit: false,
  } as const
  const captures = [capture(at + 60_000, 'first'), capture(at + 90_000, 'second')]
  switch (count % 10) {
    case 0:
      return [request, { type: 'ReleasePayment', at: at + 9_000 }]
    case 1:
      return [request, { type: 'DeclinePayment', at: at + 5_000, payer }]
    case 2:
    case 3:
      return [
        request,
        accept,
        { type: 'CapturePayment', at: at + 60_000, wanted: 'everything', terms: noFees },
        { type: 'RefundPayment', wanted: 'everything', text: 'Returned', terms: noFees },
      ]
    default:
      return [request, accept, ...captures, { type: 'ReleasePayment', at: at + 99_000 }]
  }
}

/** The history of one payment, decided by the service's decider. */
const historyOf = (count: number, merchant = 'sandbox'): { tid: string; events: NewEvent[] } => {
  const { decider } = payments
  const at = began + count * 1_000
  let state: Payment = decider.initial
  const decided: PaymentEvent[] = []
  const request = requestOf(count, merchant)
  for (const command of commandsOf(count, at, request))
    for (const event of decider.decide(command, state)) {
      state = decider.evolve(state, event, { at, position: 0 })
      decided.push(event)
    }
  const metadata = { at, merchant, actor: 'user:pos1', causationId: null }
  const events = decided.map(({ type, data }) => ({
    id: randomUUID(),
    type,
    data,
    metadata: { ...metadata, correlationId: randomUUID(), schema: schemaVersion(type) },
  }))
  return { tid: tidOf(merchant, request.posId, request.posTid), events }
}

const appendsAtOnce = 500

/** Fills a log with payment histories of several merchants, with at least this many events. */
export const seed = async (
  store: EventStore,
  atLeast: number,
  merchantOf: (count: number) => string = () => 'sandbox',
): Promise<number> => {
  let events = 0
  for (let count = 0; events < atLeast;) {
    const batch = Array.from({ length: appendsAtOnce }, () => {
      const merchant = merchantOf(count)
      return historyOf(count++, merchant)
    })
    await Promise.all(
      batch.map(({ tid, events }) => store.append(`payment-${tid}`, events, noStream)),
    )
    for (const history of batch) events += history.events.length
  }
  return events
}
