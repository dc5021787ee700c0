import {
  Actions,
  Card,
  Crumbs,
  Form,
  Hidden,
  Link,
  Wrong,
  type Html,
} from '../../ui/components.tsx'
import type { PaymentPreview } from '../../../application/payment-acts.ts'
import { formatAmount, type Pots } from '../../../domain/money/money.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { codeField, Field } from '../../ui/fields.tsx'
import { minorText, shopTime } from '../../ui/money.tsx'
import { filled } from '../../ui/words.tsx'
import { portalPath } from '../areas.ts'
import type { PortalVisitor } from '../page.tsx'
import {
  requestedPots,
  wholeOf,
  type Choice,
  type Typed,
  isPart,
  type PaymentAction,
} from './action-input.ts'
import { paymentPath } from './query.ts'
import { changesHtml, costHtml, grossOf, splitHtml } from './preview.tsx'
import type { Catalogue } from '../../../texts/generated/texts.ts'

export type ActionForm = {
  readonly visitor: PortalVisitor
  readonly texts: Catalogue['payments']
  readonly tid: string
  readonly action: PaymentAction
  readonly payment: RequestedPayment
  readonly typed: Typed
  readonly mark: string
  /** Amounts to choose from that the role may ask for. */
  readonly choices?: readonly Choice[]
  /** What is asked for, and what it would do; absent where that is refused. */
  readonly requested?: { readonly pots: Pots; readonly preview: PaymentPreview } | undefined
  /** The amount above which a code is needed, where this is above it. */
  readonly codeAbove?: number | undefined
  /** Of a field that was typed, or of the form. */
  readonly problem?: string | undefined
  readonly wrongField?: 'amount' | 'additional' | undefined
  readonly codeProblem?: string | undefined
}

/** Each leads to what it will do. */
const choicesHtml = ({ texts, action, payment, visitor, tid, choices = [] }: ActionForm) => {
  const { currency } = payment.request
  if (choices.length === 0) return ''
  return (
    <p class="buttons">
      {choices.map(({ name, pots }) => {
        const typed = {
          amount: formatAmount(pots.amount, currency),
          additional: formatAmount(pots.additionalAmount, currency),
        }
        const place = paymentPath(tid, `/${action}?${new URLSearchParams(typed)}`)
        return (
          <a class="button second" href={portalPath(visitor.shop.merchant, place)}>
            {typeof name === 'string' ? texts[name] : (name.description ?? name.productId)}:{' '}
            {minorText(grossOf(pots), currency, visitor.locale)}
          </a>
        )
      })}
    </p>
  )
}

/** What to take or give back in all, and how much of it is tip: all of it, unless less is typed. */
const amountsHtml = (form: ActionForm): Html => {
  const { texts, action, payment, typed, visitor } = form
  const { currency } = payment.request
  const whole = wholeOf(action, payment)
  const total = formatAmount(grossOf(whole), currency)
  const pots = requestedPots(action, payment, typed)
  const sum = (minor: number) => minorText(minor, currency, visitor.locale)
  const number = { inputmode: 'decimal', autocomplete: 'off' } as const
  const hasTip = whole.additionalAmount > 0
  const problemOf = (name: 'amount' | 'additional') =>
    form.wrongField === name ? form.problem : undefined
  const maximum = { amount: sum(grossOf(whole)), tip: sum(whole.additionalAmount) }
  return [
    choicesHtml(form),
    <form method="get" class="amounts">
      <Hidden fields={{ of: total }} />
      <Field
        name="amount"
        label={`${texts.total} (${currency})`}
        hint={hasTip ? texts.maximumWithTip(maximum) : texts.maximum(maximum)}
        problem={problemOf('amount')}
        {...number}
        required
        value={
          typed.of === null && pots
            ? formatAmount(grossOf(pots), currency)
            : (typed.amount ?? total)
        }
      />
      {hasTip && (
        <Field
          name="additional"
          label={`${texts.tipOfTotal} (${currency})`}
          hint={texts.tipHint}
          problem={problemOf('additional')}
          {...number}
          value={typed.of === null ? '' : (typed.additional ?? '')}
        />
      )}
      <Actions button={texts[action === 'refund' ? 'preview_refund' : 'preview_capture']} />
    </form>,
  ]
}

const confirmText = (form: ActionForm, pots: Pots, { after }: PaymentPreview): Html => {
  const { texts, action, payment, visitor } = form
  const sum = minorText(grossOf(pots), payment.request.currency, visitor.locale)
  switch (action) {
    case 'capture':
      return filled(texts.confirmCapture, { amount: sum })
    case 'refund':
      return filled(texts.confirmRefund, { amount: sum })
    case 'release':
      return payment.status === 'pending'
        ? texts.confirmAbort
        : filled(texts.confirmRelease, { amount: sum })
    case 'renew':
      return filled(texts.confirmRenew, { time: shopTime(after.expiresAt, visitor) })
  }
}

const notes = { capture: '', refund: '', release: 'releaseWhat', renew: 'renewWhat' } as const

const noteOf = ({ texts, action, payment }: ActionForm): string => {
  if (action === 'release' && payment.status === 'pending') return texts.abortWhat
  const name = notes[action]
  return name === '' ? '' : texts[name]
}

const codeHtml = (form: ActionForm): Html => {
  const { codeAbove, texts, payment, visitor, codeProblem } = form
  if (codeAbove === undefined) return null
  const above = minorText(codeAbove, payment.request.currency, visitor.locale)
  return [
    <p class="quiet small">{filled(texts.codeWhy, { amount: above })}</p>,
    codeField(visitor.texts, codeProblem),
  ]
}

const confirmHtml = (form: ActionForm, pots: Pots, preview: PaymentPreview): Html => {
  const { texts, action, payment, visitor, tid, mark, typed } = form
  const amount = (minor: number) => formatAmount(minor, payment.request.currency)
  const sent = {
    csrf: visitor.csrf,
    mark,
    had: String(payment.expiresAt),
    amount: amount(pots.amount),
    additional: amount(pots.additionalAmount),
  }
  const path = (more = '') => portalPath(visitor.shop.merchant, paymentPath(tid, more))
  const other = isPart(action) ? (
    <Link class="button second" href={path(`/${action}`)} text={texts.otherAmount} />
  ) : null
  return (
    <Form action={path(`/${action}`)} data-once="" hidden={sent}>
      {action === 'refund' && (
        <Field
          name="reason"
          label={texts.reason}
          hint={texts.reasonHint}
          value={typed.reason}
          maxlength={1000}
          autocomplete="off"
        />
      )}
      {codeHtml(form)}
      <div class="actions">
        <button>
          <span>{confirmText(form, pots, preview)}</span>
        </button>
        {other}
        <Link class="button second" href={path()} text={visitor.texts.cancel} />
      </div>
    </Form>
  )
}

const confirmCard = (form: ActionForm, { pots, preview }: NonNullable<ActionForm['requested']>) => {
  const { texts, problem } = form
  const note = noteOf(form)
  return [
    <Wrong text={problem} />,
    <Card title={texts.previewTitle}>
      {changesHtml(form, preview)}
      {splitHtml(form, pots)}
      {costHtml(form, preview)}
      {note !== '' && <p class="quiet">{note}</p>}
      {confirmHtml(form, pots, preview)}
    </Card>,
  ]
}

/**
 * What to do; then what it will do, and the button that does it. The amount is not asked for beside
 * that button, where another one than it does could be typed.
 */
export const actionHtml = (form: ActionForm): Html => {
  const { texts, action, payment, visitor, tid, requested, problem, typed } = form
  const isAsked = requested !== undefined && (!isPart(action) || typed.amount !== null)
  const amounts = isPart(action) ? <section class="card">{amountsHtml(form)}</section> : null
  const path = (more: string) => portalPath(visitor.shop.merchant, more)
  return [
    <Crumbs
      links={[
        [path('payments'), texts.payments],
        [path(paymentPath(tid)), payment.request.posTid],
      ]}
    />,
    <div class="act">
      <h1>{texts[`action_${action}`]}</h1>
      {isAsked
        ? confirmCard(form, requested)
        : [!form.wrongField && <Wrong text={problem} />, amounts]}
    </div>,
  ]
}
