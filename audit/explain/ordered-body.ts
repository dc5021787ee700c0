import { payments } from '../../domain/aggregates.ts'
import type { Recorded } from '../../domain/events.ts'
import { formatAmount, parseAmount } from '../../domain/money/money.ts'
import {
  hasEffect,
  isPaymentEvent,
  paymentEffects,
  type WithEffect,
} from '../../domain/payment/payment-events.ts'
import { idIn } from '../../domain/stream.ts'
import type { EventStore } from '../../application/event-store.ts'
import { stateAt } from '../../application/find-state.ts'
import type { Check } from './needs.ts'

/** The text a request signed (interface 3), `METHOD|url|headers`, parsed. */
export type SignedText = {
  readonly method: string
  readonly url: string
  readonly timestamp: string
  readonly digest: string
  readonly merchant: string | undefined
  /** As in event metadata: `user:pos1`, `integrator:acme`. */
  readonly actor: string
}

export const headersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('&').map((header) => {
      const [name = ''] = header.split('=', 1)
      return [name, header.slice(name.length + 1)]
    }),
  )

/** Undefined if it is not the text of a request. A URL may contain `|` too. */
export const readSignedText = (text: string): SignedText | undefined => {
  const [method = ''] = text.split('|', 1)
  const [, prefix] = /[|&]([A-Z0-9-]+-)CONTENT-DIGEST=/.exec(text) ?? []
  if (prefix === undefined) return undefined
  const afterUrl = text.indexOf(`|${prefix}`)
  const headers = headersOf(text.slice(afterUrl + 1))
  const value = (name: string): string | undefined => headers.get(`${prefix}${name}`)
  const [timestamp, digest] = [value('TIMESTAMP'), value('CONTENT-DIGEST')]
  const [user, integrator] = [value('USER'), value('INTEGRATOR')]
  if (timestamp === undefined || digest === undefined) return undefined
  return {
    method,
    url: text.slice(method.length + 1, afterUrl),
    timestamp,
    digest,
    merchant: value('MERCHANT'),
    actor: user === undefined ? `integrator:${integrator ?? ''}` : `user:${user}`,
  }
}

type Needs = {
  readonly store: Pick<EventStore, 'readStream'>
  readonly contentDigest: (body: Uint8Array) => string
}

type Ordered = Extract<Recorded, { type: WithEffect<'causedBy'> }>

const isOrdered = (event: Recorded): event is Ordered =>
  isPaymentEvent(event) && hasEffect(event.type, 'causedBy')

type Body = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : String(value).trim()

/** Where a body differs from its event, as `<member> <requested>, not <recorded>`. */
const differences = (body: Body, event: Ordered, currency: string): string[] => {
  const hasAmounts = event.type === 'PaymentCaptured' || event.type === 'PaymentRefunded'
  const actions: readonly string[] = paymentEffects[event.type].causedBy
  const found = actions.includes(String(body['action']).toLowerCase())
    ? []
    : [`action ${String(body['action'])}, not ${actions.join(' or ')}`]
  if (!hasAmounts) return found
  const { amount, additionalAmount } = event.data
  const id = event.type === 'PaymentCaptured' ? event.data.captureId : event.data.refundId
  const name = event.type === 'PaymentCaptured' ? 'capture_id' : 'refund_id'
  const ordered = textOf(body[name])
  if (ordered !== id) found.push(`${name} ${ordered ?? 'none'}, not ${id ?? 'none'}`)
  const asIn = textOf(body['currency'])?.toUpperCase() ?? currency
  if (asIn !== currency) found.push(`currency ${asIn}, not ${currency}`)
  const amounts = { amount, additional_amount: additionalAmount }
  for (const [member, recorded] of Object.entries(amounts)) {
    const text = textOf(body[member])
    // Without amounts, everything left is meant.
    const isMeant = text === null ? body['amount'] == null || recorded === 0 : false
    if (isMeant || (text !== null && parseAmount(text, currency) === recorded)) continue
    found.push(`${member} ${text ?? 'none'}, not ${formatAmount(recorded, currency)}`)
  }
  return found
}

const checkPayment = async (
  { store }: Needs,
  event: Ordered,
  { method, url }: SignedText,
  body: string,
): Promise<Check> => {
  const tid = idIn(event.stream)
  const payment = await stateAt(store, payments.decider, event.stream, event.position)
  const currency = payment.status === 'unrequested' ? 'NOK' : payment.request.currency
  const isHere = method === 'PUT' && new RegExp(`/payment_request/${tid}/(?:\\?|$)`).test(url)
  const found = isHere ? [] : [`${method} ${url}, not a PUT of payment ${tid}`]
  try {
    found.push(...differences(JSON.parse(body) as Body, event, currency))
  } catch {
    found.push('a body that is no JSON')
  }
  return found.length === 0
    ? { holds: true, says: `it asked for what ${event.type} tells: ${body}` }
    : { holds: false, says: `it asked for something else: ${found.join('; ')}` }
}

/** Whether the body is the signed one, and asks for what the event records. */
export const checkBody = async (
  needs: Needs,
  event: Recorded,
  text: SignedText,
  kept: string | undefined,
): Promise<readonly Check[]> => {
  const digestOf = (body: string): string => needs.contentDigest(new TextEncoder().encode(body))
  const body = kept ?? (text.digest === digestOf('') ? '' : undefined)
  if (body === undefined)
    return [
      { holds: null, says: `the body is not kept; the digest that was signed is ${text.digest}` },
    ]
  if (digestOf(body) !== text.digest)
    return [
      { holds: false, says: `the body is not the one whose digest was signed, ${text.digest}` },
    ]
  const signed = {
    holds: true,
    says: `the digest that was signed, ${text.digest}, is of this body`,
  }
  return isOrdered(event) ? [signed, await checkPayment(needs, event, text, body)] : [signed]
}
