import { Table, type Html } from '../../ui/components.tsx'
import type { PaymentPreview } from '../../../application/payment-acts.ts'
import { nothing, type Pots } from '../../../domain/money/money.ts'
import { available, type RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { minorText, shopTime, type TimeReader } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { standingOf } from './payment-parts.tsx'
import { badgeHtml } from './state.tsx'
import type { Catalogue } from '../../../texts/generated/texts.ts'

type Previewed = {
  readonly texts: Catalogue['payments']
  readonly visitor: TimeReader
  readonly payment: RequestedPayment
}

export const grossOf = ({ amount, additionalAmount }: Pots): number => amount + additionalAmount

const sums = ['captured', 'available', 'released', 'refunded'] as const

const sumsIn = (payment: RequestedPayment) => ({
  captured: grossOf(payment.captured),
  available: grossOf(payment.status === 'auth' ? available(payment) : nothing),
  released: grossOf(payment.released),
  refunded: grossOf(payment.refunded),
})

/** The numbers that change, now and afterwards. */
export const changesHtml = (
  { texts, visitor, payment }: Previewed,
  { after }: PaymentPreview,
): Html => {
  const [now, then] = [sumsIn(payment), sumsIn(after)]
  const sum = (minor: number) => minorText(minor, payment.request.currency, visitor.locale)
  const time = (at: number) => shopTime(at, visitor)
  const row = (name: string, before: Html, after: Html) => [
    { head: name },
    { number: before },
    { number: after },
  ]
  const rows = [
    row(texts.status, badgeHtml(texts, standingOf(payment)), badgeHtml(texts, standingOf(after))),
    ...sums
      .filter((name) => now[name] !== then[name])
      .map((name) => row(texts[name], sum(now[name]), <b>{sum(then[name])}</b>)),
    ...(payment.expiresAt === after.expiresAt
      ? []
      : [row(texts.expiresAt, time(payment.expiresAt), <b>{time(after.expiresAt)}</b>)]),
  ]
  const heads = ['', { number: texts.before }, { number: texts.afterwards }]
  return <Table label={texts.previewTitle} kind="grid preview" heads={heads} rows={rows} />
}

/** What of it is for goods and what is tip, where there is one. */
export const splitHtml = ({ texts, visitor, payment }: Previewed, pots: Pots): Html => {
  const { request, authorized } = payment
  if (authorized.additionalAmount === 0) return null
  const sum = (minor: number) => minorText(minor, request.currency, visitor.locale)
  const rows = [
    [texts.goods, pots.amount],
    [texts.tip, pots.additionalAmount],
    [texts.total, grossOf(pots)],
  ] as const
  const cells = rows.map(([head, minor]) => [{ head }, { number: sum(minor) }])
  return <Table label={texts.total} kind="grid preview" rows={cells} />
}

export const costHtml = ({ texts, visitor, payment }: Previewed, { events }: PaymentPreview) => {
  const [event] = events
  if (event?.type !== 'PaymentCaptured' && event?.type !== 'PaymentRefunded') return ''
  const { fee, interchange, vat } = event.data.charge
  const cost = fee + interchange + vat
  const amount = minorText(Math.abs(cost), payment.request.currency, visitor.locale)
  const text = filled(cost < 0 ? texts.feesReturned : texts.costs, { amount })
  return <p class="quiet">{cost === 0 ? texts.costsNothing : text}</p>
}
