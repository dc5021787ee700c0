import { Table, type Row, type Html } from '../ui/components.tsx'
import type { Pots } from '../../domain/money/money.ts'
import { vatOf } from '../../domain/payment/vat.ts'
import type { PaymentDetails, PaymentRequest } from '../../domain/payment/payment-events.ts'
import type { ChunkedList } from '../../domain/chunked-list.ts'
import { refuse, type RefusalCode } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import type { PaymentOutcome } from '../../domain/payment/payment-outcome.ts'
import { numberFormat, minorText, utcTime } from '../ui/money.tsx'
import type { Visitor } from './session.tsx'
import type { Texts } from '../ui/texts.ts'
import { plainText } from '../../texts/message.ts'

/** A payment request as shown to its payer. */
export type RequestView = {
  readonly tid: string
  readonly request: PaymentRequest
  readonly details: PaymentDetails
  /** The named payer, or who answered; null while anyone may answer. */
  readonly payer: string | null
  readonly outcome: PaymentOutcome
  readonly shop: string
  /** SHA-256 of the shop's logo, a PNG. */
  readonly logo: string | null
  readonly pos: string | null
  readonly isShopDisabled: boolean
}

/** For what still waits for an answer. @throws Refusal merchant_is_disabled */
export const refuseDisabledShop = (status: string, isShopDisabled: boolean): void => {
  if (status === 'pending' && isShopDisabled) refuse('merchant_is_disabled')
}

export type RequestViewNeeds = {
  readonly caughtUp: () => Promise<void>
  readonly findRequest: (tid: string, at: Instant) => Promise<RequestView | undefined>
}

/** Whether a payer may see the request: it is theirs, or open to anyone and unanswered. */
export const isFor = ({ request, payer, outcome }: RequestView, visitor: string): boolean => {
  // The outcome is read later, and somebody may have accepted in between.
  const owner = payer ?? outcome.payer
  return owner === null ? request.customer === null : owner === visitor
}

/**
 * Another payer's request counts as unknown. When another answered first, only that is shown.
 * @throws Refusal
 */
export const requestFor =
  (
    { caughtUp, findRequest }: RequestViewNeeds,
    lost: RefusalCode = 'payment_is_for_another_payer',
  ) =>
  async (tid: string, payer: string, at: Instant): Promise<RequestView> => {
    await caughtUp()
    const found = await findRequest(tid, at)
    if (found && isFor(found, payer)) return found
    const isLost = found?.request.customer === null
    return refuse(isLost ? lost : 'resource_is_unknown')
  }

/** Explains a status code to a payer. */
export const reasonOf = (texts: Texts, statusCode: number): string =>
  plainText(texts, `why${statusCode}`) ?? ''

const sumOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const sumOfAll = (parts: ChunkedList<Pots>): number =>
  parts.flat().reduce((sum, part) => sum + sumOf(part), 0)

/** Without what a payer has added: tips carry no VAT. */
const goodsIn = (parts: ChunkedList<Pots>): number =>
  parts.flat().reduce((sum, { amount }) => sum + amount, 0)

/** Requested, captured and refunded sums of both pots, in minor units. */
export const sumsOf = (outcome: PaymentOutcome) => ({
  asked: sumOf(outcome),
  captured: sumOfAll(outcome.captures),
  refunded: sumOfAll(outcome.refunds),
})

/** Whether the shop took a part and did not release the rest. */
const isInPart = (outcome: PaymentOutcome): boolean =>
  outcome.status !== 'ok' && outcome.captures.length > 0

/** The status in the payer's words: what came back, else what was captured, else how it ended. */
export const statusText = (
  texts: Texts,
  { outcome, request }: Pick<RequestView, 'outcome' | 'request'>,
): string => {
  const { captured, refunded } = sumsOf(outcome)
  if (refunded > 0) return refunded < captured ? texts.statusPartRefunded : texts.refunded
  if (isInPart(outcome)) return texts.statusPart
  return {
    pending: texts.statusPending,
    auth: request.action === 'sale' ? texts.statusOk : texts.statusReserved,
    ok: texts.statusOk,
    fail: texts.statusFail,
  }[outcome.status]
}

const statusReason = (
  texts: Texts,
  { outcome, request }: Pick<RequestView, 'outcome' | 'request'>,
): string => {
  const { status, statusCode } = outcome
  if (status !== 'auth' && status !== 'fail') return ''
  if (isInPart(outcome)) return status === 'auth' ? texts.restIsOpen : texts.restIsOver
  return status === 'auth' && request.action === 'sale' ? '' : reasonOf(texts, statusCode)
}

export const statusHtml = ({ texts }: Visitor, view: RequestView): Html => {
  const { outcome } = view
  const isBad = outcome.status === 'fail' && !isInPart(outcome)
  const isPlain = outcome.status === 'pending' || sumsOf(outcome).refunded > 0
  const tone = isBad ? 'bad' : isPlain ? '' : 'good'
  const reason = statusReason(texts, view)
  return (
    <p role="status" class={`state ${tone}`}>
      <span>
        {' '}
        {statusText(texts, view)} {reason !== '' && <small>{reason}</small>}{' '}
      </span>
    </p>
  )
}

const vatRows = (
  { texts, locale }: Visitor,
  { outcome }: RequestView,
  { parts }: ReturnType<typeof vatOf>,
): Row[] => {
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  const amount = (minor: number) => minorText(minor, outcome.currency, locale)
  return parts.map(({ rate, vat, net }): Row => [
    texts.vatOn({ rate: rate === 'unknown' ? '' : percent.format(rate / 100), net: amount(net) }),
    amount(vat),
  ])
}

/** Earlier refunds are in the sum alone. */
const refundsListed = 20

/** The outcome for the payer's own records, with the time at which they answered. */
export const receiptHtml = (visitor: Visitor, view: RequestView): Html => {
  const { texts, locale } = visitor
  const { outcome, request } = view
  const { asked, captured, refunded } = sumsOf(outcome)
  const released = captured > 0 ? sumOf(outcome.released) : 0
  const isReserved = request.action === 'auth' && (captured > 0 || outcome.status === 'auth')
  const refunds = outcome.refunds.flat().slice(-refundsListed)
  const kept = goodsIn(outcome.captures) - goodsIn(outcome.refunds)
  const vat = vatOf(view.details.lineItems, kept)
  const row = (name: string, minor: number): Row[] =>
    minor === 0 ? [] : [[name, minorText(minor, outcome.currency, locale)]]
  const rows: Row[] = [
    [texts.date, utcTime(outcome.answeredAt ?? outcome.modifiedAt, locale)],
    ...row(texts.statusReserved, isReserved && asked !== captured ? asked : 0),
    ...row(texts.paid, captured),
    ...row(texts.notCollected, released),
    ...refunds.map((refund): Row => [
      [texts.refunded, <br />, <small>{utcTime(refund.at, locale)}</small>],
      minorText(-sumOf(refund), outcome.currency, locale),
    ]),
    ...row(texts.refundedSum, refunds.length > 1 ? -refunded : 0),
    ...vatRows(visitor, view, vat),
    [texts.reference, <code>{request.posTid}</code>],
  ]
  return [
    <h2>{captured > 0 ? texts.receipt : texts.payment}</h2>,
    <Table rows={rows} />,
    vat.isOfAll && vat.parts.length > 0 && <p class="quiet small">{texts.vatOfAll}</p>,
  ]
}
