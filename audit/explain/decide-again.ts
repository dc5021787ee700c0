import * as aggregates from '../../domain/aggregates.ts'
import type { SigningTime, Decider } from '../../domain/decider.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { PaymentCommand } from '../../domain/payment/payment-command.ts'
import type { Payment } from '../../domain/payment/payment-state.ts'
import { Refusal } from '../../domain/refusal.ts'
import { categoryOf } from '../../domain/stream.ts'
import type { Instant } from '../../domain/time.ts'
import { formatDateTime } from '../../application/date-time.ts'
import { noStream, type EventStore, type Revision } from '../../application/event-store.ts'
import { historyOf, stateAfter } from '../../application/find-state.ts'
import type { RefusalLine } from '../../application/refused-request.ts'
import { numbersInWords, numbersOfPayment } from './payment-words.ts'

/** The decision, as recorded with a refusal. */
type RecordedDecision = {
  readonly stream: string
  readonly revision: Revision
  readonly command: { readonly type: string }
  readonly asked?: SigningTime | undefined
  readonly at: Instant
}

export type DecidedAgain = {
  /** Position of the last event it was based on; undefined if the stream had none. */
  readonly position: number | undefined
  /** The command, and the state it met. */
  readonly asked: string
  readonly then: string
  /** The refusal codes, or the events that would be recorded. */
  readonly refused: readonly string[] | undefined
  readonly events: readonly string[]
}

/** A refused request with the decision as it is repeated now. */
export type ExplainedRefusal = Omit<RefusalLine, 'sealed'> & {
  /** The requested path. */
  readonly target?: string | undefined
  /** Absent if there was no decision, or its command is not kept. */
  readonly again?: DecidedAgain | undefined
}

type AnyDecider = Decider<unknown, { readonly type: string }, unknown>

const deciderOf = (stream: string): AnyDecider | undefined =>
  Object.values(aggregates).find(({ category }) => category === categoryOf(stream))?.decider as
    AnyDecider | undefined

/** The state at a revision, and the position of that event. */
const standing = async (
  store: Pick<EventStore, 'readStream'>,
  decider: AnyDecider,
  stream: string,
  revision: Revision,
) => {
  let state = decider.initial
  let position: number | undefined
  if (revision === noStream) return { state, position }
  for await (const events of historyOf(store, stream, 0, revision)) {
    state = stateAfter(decider, events, state)
    position = events.at(-1)?.position ?? position
  }
  return { state, position }
}

const isOfPayments = (stream: string): boolean =>
  categoryOf(stream) === aggregates.payments.category

const stateInWords = (stream: string, state: unknown, at: Instant): string => {
  if (!isOfPayments(stream)) return ''
  const payment = state as Payment
  if (payment.status === 'unrequested') return 'there was no such payment'
  const { currency } = payment.request
  const numbers = numbersInWords(numbersOfPayment(payment, at), currency)
  const until = `until ${formatDateTime(payment.expiresAt)}`
  return `status ${payment.status} ${until}, in ${currency}: ${numbers}`
}

const commandInWords = (
  stream: string,
  { type, ...command }: { readonly type: string },
): string => {
  const { wanted } = command as Partial<Extract<PaymentCommand, { type: 'CapturePayment' }>>
  if (!isOfPayments(stream) || wanted === undefined) return type
  if (wanted === 'everything') return `${type}: all that is left`
  const { amount, additionalAmount, currency, id } = wanted
  const more = additionalAmount === 0 ? '' : ` and ${formatAmount(additionalAmount, currency)}`
  return `${type}: ${formatAmount(amount, currency)}${more} ${currency} as ${id ?? 'no id'}`
}

/** Repeats a decision on the stream as it was then. */
export const decideAgain = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, command, asked, at }: RecordedDecision,
): Promise<DecidedAgain | undefined> => {
  const decider = deciderOf(stream)
  if (!decider) return undefined
  const { state, position } = await standing(store, decider, stream, revision)
  const about = {
    position,
    asked: commandInWords(stream, command),
    then: stateInWords(stream, state, at),
  }
  try {
    const events = decider.decide(command, state, asked).map(({ type }) => type)
    return { ...about, refused: undefined, events }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...about, refused: [error.code, ...error.others], events: [] }
  }
}
