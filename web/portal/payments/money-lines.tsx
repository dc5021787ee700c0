import { Quiet, Table, type Row, type Html } from '../../ui/components.tsx'
import { mayDo } from '../../../domain/merchant/staff-roles.ts'
import type { PaymentRecord } from '../../../application/payment-history.ts'
import { type RequestedPayment, available } from '../../../domain/payment/payment-state.ts'
import { minorText, shopTime, plainAmounts } from '../../ui/money.tsx'
import { reportHref, settlementHref } from '../money-parts.tsx'
import type { PortalVisitor } from '../page.tsx'
import type { TimelineView } from './timeline.tsx'
import { nothing, type Pots } from '../../../domain/money/money.ts'
import type { Catalogue } from '../../../texts/generated/texts.ts'

/** In the order of the picture: authorised = captured + released + available. */
export const parts = ['captured', 'released', 'available'] as const

export type Sums = Readonly<Record<(typeof parts)[number] | 'authorized' | 'refunded', Pots>>

export type Pot = keyof Pots

export const sumsOf = (payment: RequestedPayment): Sums => {
  const { authorized, captured, released, refunded } = payment
  const left = payment.status === 'auth' ? available(payment) : nothing
  return { authorized, captured, released, available: left, refunded }
}

export const width = 640

export const barHeight = 34

export const potHeight = 74

export const barHtml = (sums: Sums, pot: Pot, top: number, label: string): Html => {
  const whole = sums.authorized[pot]
  const scaled = (minor: number) => (whole === 0 ? 0 : (minor / whole) * width)
  let left = 0
  const segments = parts.map((part) => {
    const size = scaled(sums[part][pot])
    const at = left
    left += size
    return size === 0 ? null : (
      <rect
        class={`pot-${part}`}
        x={at.toFixed(2)}
        y={top + 22}
        width={size.toFixed(2)}
        height={barHeight}
      />
    )
  })
  const back = scaled(sums.refunded[pot])
  return [
    <text class="pot-label" x="0" y={top + 14}>
      {label}
    </text>,
    <rect class="pot-ground" x="0" y={top + 22} width={width} height={barHeight} rx="6" />,
    <g clip-path={`url(#pot-${pot})`}>{segments}</g>,
    back !== 0 && (
      <rect
        class="pot-refunded"
        x="0"
        y={top + 22 + barHeight - 10}
        width={back.toFixed(2)}
        height="10"
      />
    ),
    <clipPath id={`pot-${pot}`}>
      {' '}
      <rect x="0" y={top + 22} width={width} height={barHeight} rx="6" />{' '}
    </clipPath>,
  ]
}

export const rows = ['authorized', ...parts, 'refunded'] as const

/** The two pots as a picture, with the same numbers as a table below. */
export const potsHtml = (
  payment: RequestedPayment,
  texts: Catalogue['payments'],
  locale: string,
): Html => {
  const sums = sumsOf(payment)
  const { currency } = payment.request
  const sum = (minor: number) => minorText(minor, currency, locale)
  const plain = plainAmounts(locale, currency)
  const hasTip = sums.authorized.additionalAmount > 0
  const total = ({ amount, additionalAmount }: Pots) => amount + additionalAmount
  const says = rows.map((name) => `${texts[name]} ${sum(total(sums[name]))}`).join(', ')
  const withTip = hasTip ? [{ number: texts.additional }, { number: texts.total }] : []
  const heads = ['', { number: `${texts.amount}, ${currency}` }, ...withTip]
  // Of what did not happen there is nothing to say.
  const some = rows.filter((name) => name === 'authorized' || total(sums[name]) > 0)
  const lines = some.map((name) => {
    const pots = sums[name]
    return [
      { head: [<span class={`swatch ${name}`}></span>, texts[name]] },
      { number: plain(pots.amount) },
      ...(hasTip ? [{ number: plain(pots.additionalAmount) }, { number: plain(total(pots)) }] : []),
    ]
  })
  const height = hasTip ? 2 * potHeight : potHeight
  return [
    <svg class="pots" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={says}>
      {barHtml(sums, 'amount', 0, texts.amount)}
      {hasTip && barHtml(sums, 'additionalAmount', potHeight, texts.additional)}
    </svg>,
    <Table label={texts.picture} kind="pot-sums grid" heads={heads} rows={lines} />,
  ]
}

export type CountingNeeds = {
  /** The ledger that has the line of an event, once it is folded. */
  readonly ledgerOfLine: (position: number) => string | undefined
  /** The number of the report that holds a line. */
  readonly reportHolding: (
    merchant: string,
    ledger: string,
    position: number,
  ) => number | Promise<number>
  /** The settlement that takes a line, if one has; it may still be in the making. */
  readonly settlementTaking: (merchant: string, position: number) => Settlement | undefined
}

type Settlement = {
  readonly settlementId: string
  readonly serial: number
  readonly making: number
}

type MoneyRecord = Extract<PaymentRecord, { data: { charge: object } }>

const isMoney = (event: PaymentRecord): event is MoneyRecord => 'charge' in event.data

const kinds = {
  PaymentCaptured: { text: 'captured', sign: 1 },
  PaymentRefunded: { text: 'refunded', sign: -1 },
  PaymentDisputed: { text: 'disputed', sign: -1 },
  PaymentDisputeWon: { text: 'disputeWon', sign: 1 },
} as const

type Line = {
  readonly event: MoneyRecord
  readonly ledger: string
  readonly report: number
  readonly settlement: Settlement | undefined
}

/** Who may not see money reads what it is called. */
const linked = ({ me }: PortalVisitor, href: string, name: string): Html =>
  mayDo(me.terms, 'see_money') ? <a href={href}>{name}</a> : name

const reportHtml = (
  { texts }: TimelineView,
  visitor: PortalVisitor,
  { ledger, report }: Line,
): Html => linked(visitor, reportHref(visitor, ledger, report), texts.reportOf({ report, ledger }))

const settlementHtml = (
  { texts }: TimelineView,
  visitor: PortalVisitor,
  { settlement }: Line,
): Html => {
  if (!settlement) return <span class="quiet">{texts.noSettlement}</span>
  const { settlementId, serial, making } = settlement
  if (making) return settlementId
  return linked(visitor, settlementHref(visitor, serial), settlementId)
}

const lineHtml = (view: TimelineView, visitor: PortalVisitor, line: Line): Row => {
  const { event } = line
  const { texts, locale, currency } = view
  const { amount, additionalAmount, charge } = event.data
  const plain = plainAmounts(locale, currency)
  const { text, sign } = kinds[event.type]
  const gross = sign * (amount + additionalAmount)
  const { fee, interchange, vat } = charge
  const parts = (['fee', 'interchange', 'vat'] as const)
    .filter((name) => charge[name] !== 0)
    .map((name) => `${texts[name]} ${plain(charge[name])}`)
  return [
    [texts[text], ' ', <small class="quiet">{shopTime(event.metadata.at, visitor)}</small>],
    { number: plain(gross) },
    {
      number: [
        plain(fee + interchange + vat),
        ' ',
        fee + interchange + vat < 0 && <small class="quiet">{texts.feesBack}</small>,
        !(parts.length < 2) && <small class="quiet">{parts.join(' + ')}</small>,
      ],
    },
    { number: plain(gross - fee - interchange - vat) },
    [reportHtml(view, visitor, line), ' ', <small>{settlementHtml(view, visitor, line)}</small>],
  ]
}

/** Each capture, refund and dispute with its fees, its report and its settlement. */
export const moneyLinesHtml = async (
  needs: CountingNeeds,
  view: TimelineView,
  visitor: PortalVisitor,
  { details }: RequestedPayment,
  events: readonly PaymentRecord[],
): Promise<Html> => {
  const { texts } = view
  const { merchant } = visitor.shop
  const lines: Line[] = []
  for (const event of events.filter(isMoney)) {
    const { position } = event
    const ledger = needs.ledgerOfLine(position) ?? details.ledger
    const report = await needs.reportHolding(merchant, ledger, position)
    lines.push({ event, ledger, report, settlement: needs.settlementTaking(merchant, position) })
  }
  if (lines.length === 0) return <Quiet text={texts.feesNone} />
  const amount = `${texts.amount}, ${view.currency}`
  const numbers = [amount, texts.fees, texts.net].map((number) => ({ number }))
  const heads = [texts.when, ...numbers, texts.reportAndSettlement]
  const rows = lines.map((line) => lineHtml(view, visitor, line))
  return <Table label={texts.fees} kind="grid fees" heads={heads} rows={rows} />
}
