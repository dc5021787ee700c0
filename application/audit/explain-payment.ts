import { payments } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { formatAmount } from '../../domain/money/money.ts'
import { hasEffect, isPaymentEvent } from '../../domain/payment/payment-events.ts'
import type { Payment, RequestedPayment } from '../../domain/payment/payment-state.ts'
import { streamOf } from '../../domain/stream.ts'
import { formatDateTime } from '../date-time.ts'
import { historyOf, stateAfter } from '../history.ts'
import { entryOf } from './entries.ts'
import { eventInWords } from './event-words.ts'
import type { ExplainNeeds } from './needs.ts'
import { numbersOfPayment, type PaymentNumbers } from './payment-numbers.ts'
import { partsOfEvent } from './payment-parts.ts'
import type { Entry, NumberChange, Part, Story, SumOfParts } from './story.ts'

/** An event of a payment, with the numbers before and after it. */
type Step = {
  readonly event: Recorded
  readonly payment: RequestedPayment
  readonly before: PaymentNumbers
  readonly after: PaymentNumbers
}

const numbersAt = (payment: Payment, at: number): PaymentNumbers =>
  payment.status === 'unrequested' ? {} : numbersOfPayment(payment, at)

/** Expiry is an event of its own, so numbers are taken as if no time had passed since. */
const justBefore = (payment: Payment): number =>
  payment.status === 'unrequested' ? 0 : payment.expiresAt - 1

async function* stepsOf({ store }: ExplainNeeds, tid: string): AsyncGenerator<Step> {
  let state: Payment = payments.decider.initial
  for await (const events of historyOf(store, streamOf(payments, tid)))
    for (const event of events) {
      const before = numbersAt(state, justBefore(state))
      state = stateAfter(payments.decider, [event], state)
      if (state.status === 'unrequested') continue
      const after = numbersAt(state, justBefore(state))
      yield { event, payment: state, before, after }
    }
}

const changesOf = ({ before, after, payment }: Step): readonly NumberChange[] => {
  const { currency } = payment.request
  return Object.entries(after).flatMap(([name, now]) => {
    const earlier = before[name] ?? 0
    if (earlier === now) return []
    return { name, from: formatAmount(earlier, currency), to: formatAmount(now, currency) }
  })
}

/** The report and the settlement of an event that has a line. */
const countedIn = ({ rows }: ExplainNeeds, { event, payment }: Step): readonly string[] => {
  if (!isPaymentEvent(event) || !hasEffect(event.type, 'line')) return []
  const { merchant } = payment.request
  const { lineLedger } = payment
  const report = rows.reportHolding(merchant, lineLedger, event.position)
  const movesMoney = event.type === 'PaymentCaptured' || event.type === 'PaymentRefunded'
  const settlement = rows.settlementTaking(merchant, event.position)
  const inReport = `report ${report} of ledger ${lineLedger}`
  if (!movesMoney) return [inReport]
  return [inReport, settlement === undefined ? 'no settlement so far' : `settlement ${settlement}`]
}

const entryOfStep = (needs: ExplainNeeds, step: Step): Promise<Entry> =>
  entryOf(needs, step.event, {
    currency: step.payment.request.currency,
    numbers: changesOf(step),
    counted: countedIn(needs, step),
  })

/** Expiry takes effect at its instant, before it is recorded. */
const overInWords = (
  { now }: ExplainNeeds,
  { status, expiresAt }: Pick<RequestedPayment, 'status' | 'expiresAt'>,
): string => {
  const isOver = (status === 'pending' || status === 'auth') && now() >= expiresAt
  return isOver ? '; that is over, and will be recorded' : ''
}

/** Undefined when there is no such payment. */
export const explainPayment = async (
  needs: ExplainNeeds,
  tid: string,
): Promise<Story | undefined> => {
  const entries: Entry[] = []
  let last: Step | undefined
  for await (const step of stepsOf(needs, tid)) {
    entries.push(await entryOfStep(needs, step))
    last = step
  }
  if (!last) return undefined
  const { request, status, statusCode, expiresAt } = last.payment
  const { currency } = request
  const until = `until ${formatDateTime(expiresAt)}${overInWords(needs, last.payment)}`
  return {
    title: `payment ${tid} of ${request.merchant}`,
    says: [`it is ${status}, status code ${statusCode}, ${until}`],
    entries,
    more: 0,
    numbers: Object.entries(last.after).map(([name, minor]) => ({
      ...{ name, currency },
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
    const says = eventInWords(event, request.currency)
    const { position, stream, metadata } = event
    const amount = formatAmount(more, request.currency)
    parts.push({ position, stream, at: metadata.at, says, minor: String(more), amount })
  }
  if (!payment) return undefined
  const { currency } = payment.request
  const answered = numbersOfPayment(payment, justBefore(payment))[name]
  if (answered === undefined) return undefined
  const agrees = total === answered
  const value = formatAmount(total, currency)
  const says = agrees
    ? 'the outcome that the service answers has the same'
    : `the outcome that the service answers has ${formatAmount(answered, currency)}`
  return { name, currency, value, parts, agrees, says: says + overInWords(needs, payment) }
}
