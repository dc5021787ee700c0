import { payments } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { formatAmount, minus, nothing, type Pots } from '../../domain/money/money.ts'
import {
  hasEffect,
  isPaymentEvent,
  isRelease,
  type PaymentEvent,
  type PaymentRequest,
  type WithEffect,
} from '../../domain/payment/payment-events.ts'
import type { Payment, RequestedPayment } from '../../domain/payment/payment-state.ts'
import { streamOf } from '../../domain/stream.ts'
import { noStream } from '../../application/event-store.ts'
import { historyOf, stateAfter } from '../../application/find-state.ts'
import {
  entryOf,
  mostEntries,
  type Entry,
  type NumberChange,
  type Part,
  type Story,
  type SumOfParts,
} from './story.ts'
import { eventInWords } from './event-words.ts'
import type { ExplainNeeds, PaymentNow } from './needs.ts'
import { numbersOfPayment, potsInWords, type PaymentNumbers } from './payment-words.ts'
import type { Charge } from '../../domain/accounting/fees.ts'

const negative = (pots: Pots): Pots => minus(nothing, pots)

const named = (name: string, { amount, additionalAmount }: Pots): PaymentNumbers => ({
  [`${name}amount`]: amount,
  [`${name}additional_amount`]: additionalAmount,
})

const charged = ({ fee, interchange, vat }: Charge): PaymentNumbers => ({
  transaction_fee: fee,
  interchange_fee: interchange,
  vat,
})

type Movement = Extract<PaymentEvent, { type: WithEffect<'funding'> }>

const isMovement = (event: PaymentEvent): event is Movement => hasEffect(event.type, 'funding')

/** What an event adds to each number, computed from its own data and not from the fold. */
const partsOfEvent = (event: PaymentEvent, request: PaymentRequest): PaymentNumbers => {
  if (event.type === 'PaymentRequested') return named('', request)
  if (event.type === 'PaymentAuthorized') {
    const accepted = { ...request, additionalAmount: event.data.additionalAmount }
    return { ...named('', minus(accepted, request)), ...named('auth_', accepted) }
  }
  if (event.type === 'PaymentDisputed') {
    const { fee, vat } = event.data.charge
    return { ...named('disputed_', event.data), dispute_fee: fee, dispute_fee_vat: vat }
  }
  if (event.type === 'PaymentDisputeWon') return named('disputed_', negative(event.data))
  if (!isMovement(event)) return {}
  if (isRelease(event))
    return { ...named('auth_', negative(event.data)), ...named('released_', event.data) }
  const { type, data } = event
  switch (type) {
    case 'PaymentCaptured': {
      const auth = named('auth_', negative(data))
      return { ...auth, ...named('captured_', data), ...charged(data.charge) }
    }
    case 'PaymentRefunded':
      return { ...named('refunded_', data), ...charged(data.charge) }
  }
}

/** An event of a payment, with the state before and after it. */
type Step = {
  readonly event: Recorded
  readonly before: Payment
  readonly payment: RequestedPayment
}

/** Expiry is an event of its own, so the numbers ignore that time has passed. */
const numbersOf = (payment: Payment): PaymentNumbers =>
  payment.status === 'unrequested' ? {} : numbersOfPayment(payment, payment.expiresAt - 1)

async function* stepsOf({ store }: ExplainNeeds, tid: string): AsyncGenerator<Step> {
  let state: Payment = payments.decider.initial
  for await (const events of historyOf(store, streamOf(payments, tid)))
    for (const event of events) {
      const before = state
      state = stateAfter(payments.decider, [event], state)
      if (state.status !== 'unrequested') yield { event, before, payment: state }
    }
}

const changesOf = ({ before, payment }: Step): readonly NumberChange[] => {
  const { currency } = payment.request
  const numbersBefore = numbersOf(before)
  return Object.entries(numbersOf(payment)).flatMap(([name, now]) => {
    const earlier = numbersBefore[name] ?? 0
    if (earlier === now) return []
    return { name, from: formatAmount(earlier, currency), to: formatAmount(now, currency) }
  })
}

/** The report and the settlement of an event that has a line. */
const countedIn = ({ rows, texts }: ExplainNeeds, { event, payment }: Step): readonly string[] => {
  if (!isPaymentEvent(event) || !hasEffect(event.type, 'line')) return []
  const { merchant } = payment.request
  const { lineLedger } = payment
  const report = rows.reportHolding(merchant, lineLedger, event.position)
  const movesMoney = 'charge' in event.data
  const settlement = rows.settlementTaking(merchant, event.position)?.settlementId
  const inReport = texts.inReport({ report, ledger: lineLedger })
  if (!movesMoney) return [inReport]
  const inSettlement = settlement && texts.inSettlement({ settlement })
  return [inReport, inSettlement ?? texts.noSettlement]
}

const entryOfStep = (needs: ExplainNeeds, step: Step): Promise<Entry> =>
  entryOf(needs, step.event, {
    currency: step.payment.request.currency,
    numbers: changesOf(step),
    counted: countedIn(needs, step),
  })

const isOpen = ({ status }: Pick<RequestedPayment, 'status'>): boolean =>
  status === 'pending' || status === 'auth'

/** Expiry takes effect at its instant, before it is recorded. */
const isOver = ({ now }: ExplainNeeds, payment: RequestedPayment): 'yes' | 'no' =>
  isOpen(payment) && now() >= payment.expiresAt ? 'yes' : 'no'

/** What a payment is now. */
const standing = (needs: ExplainNeeds, payment: RequestedPayment): readonly string[] => {
  const { texts } = needs
  const { request, status, statusCode: code, expiresAt, captured, refunded } = payment
  const time = isOpen(payment) ? texts.as.time(expiresAt) : 'none'
  const is = texts.paymentIs({ status, code, time, isOver: isOver(needs, payment) })
  if (refunded.amount + refunded.additionalAmount === 0) return [is]
  const [back, of] = [refunded, captured].map((pots) =>
    potsInWords(pots, request.currency, texts.as),
  )
  return [is, texts.paymentRefunded({ refunded: back ?? '', captured: of ?? '' })]
}

const paymentNow = async (needs: ExplainNeeds, tid: string): Promise<PaymentNow | undefined> => {
  if (needs.paymentNow) return needs.paymentNow(tid)
  let now: PaymentNow | undefined
  for await (const { event, payment } of stepsOf(needs, tid))
    now = { payment, revision: event.revision }
  return now
}

/** Undefined if there is no such payment. */
export const explainPayment = async (
  needs: ExplainNeeds,
  tid: string,
): Promise<Story | undefined> => {
  const entries: Entry[] = []
  let last = noStream
  for await (const step of stepsOf(needs, tid)) {
    if (entries.length === mostEntries) break
    entries.push(await entryOfStep(needs, step))
    last = step.event.revision
  }
  const found = entries.length === 0 ? undefined : await paymentNow(needs, tid)
  if (!found) return undefined
  const { payment, revision } = found
  const more = revision - last
  const { request } = payment
  const { currency } = request
  return {
    title: needs.texts.payment({ id: tid, merchant: request.merchant }),
    says: standing(needs, payment),
    entries,
    more,
    numbers: Object.entries(numbersOf(payment)).map(([name, minor]) => ({
      name,
      currency,
      value: formatAmount(minor, currency),
    })),
  }
}

/** The events that add up to a number of a payment. */
export const sumUpPayment = async (
  needs: ExplainNeeds,
  tid: string,
  name: string,
): Promise<SumOfParts | undefined> => {
  const parts: Part[] = []
  const others = { count: 0, amount: 0 }
  let total = 0
  let payment: RequestedPayment | undefined
  for await (const step of stepsOf(needs, tid)) {
    const { event } = step
    payment = step.payment
    if (!isPaymentEvent(event)) continue
    const { request } = payment
    const more = partsOfEvent(event, request)[name] ?? 0
    if (more === 0) continue
    total += more
    if (parts.length >= mostEntries) {
      others.count += 1
      others.amount += more
      continue
    }
    const says = eventInWords(event, request.currency, needs.texts)
    const { position, stream, metadata } = event
    const amount = formatAmount(more, request.currency)
    parts.push({ position, stream, at: metadata.at, says, minor: String(more), amount })
  }
  if (!payment) return undefined
  const { currency } = payment.request
  const answered = numbersOf(payment)[name]
  if (answered === undefined) return undefined
  const agrees = total === answered
  const value = formatAmount(total, currency)
  const over = isOver(needs, payment)
  const says = agrees
    ? needs.texts.outcomeSame({ isOver: over })
    : needs.texts.outcomeDiffers({
        amount: needs.texts.as.amount(answered, currency),
        isOver: over,
      })
  const rest = { ...others, amount: formatAmount(others.amount, currency) }
  return {
    name,
    currency,
    value,
    parts,
    ...(others.count > 0 && { others: rest }),
    agrees,
    says,
  }
}
