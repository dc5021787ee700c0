import { Button, Hidden, Link, Wrong, type Html } from '../ui/components.tsx'
import type { Profile } from '../../domain/people/profile.ts'
import { parseScope } from '../../domain/people/scope.ts'
import { contextOfPayer, searchOf, type Call } from '../../http/call.ts'
import type { RawReply } from '../../http/route.ts'
import { attachmentsHtml, type PayerAttachmentNeeds } from './attachment.tsx'
import { codeField } from '../ui/fields.tsx'
import { minorText, utcTime, typedAmount, decimalPoint, numberFormat } from '../ui/money.tsx'
import { orderHtml, splitHtml } from './order.tsx'
import { receiptHtml, statusHtml, type RequestView } from './request.tsx'
import { scopeList } from './scope-choice.tsx'
import { type SignedIn, type Visits, type Visitor } from './session.tsx'
import { stepUpFor, type StepUpNeeds } from './step-up.ts'
import { filled } from '../ui/words.tsx'
import { decimalsOf } from '../../domain/money/currency.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { PaymentRequest } from '../../domain/payment/payment-events.ts'

export const percents = [0, 5, 10, 15] as const

/** An amount in the reader's input format. */
export const typedLike = (minor: number, currency: string, locale: string): string => {
  const text = formatAmount(minor, currency)
  return text.replace('.', decimalPoint(locale))
}

export const shareOf = (amount: number, percent: number): number =>
  Math.round((amount * percent) / 100)

/** The amount of a choice such as `10` (percent); undefined for any other. */
export const chosenTip = (
  { amount, currency }: PaymentRequest,
  choice: string | null,
  locale: string,
): string | undefined => {
  const percent = percents.find((one) => String(one) === choice)
  return percent === undefined ? undefined : typedLike(shareOf(amount, percent), currency, locale)
}

export type Tip = {
  readonly request: PaymentRequest
  /** The payment's page, for choices without scripts. */
  readonly path: string
  /** As typed, or the request's amount. */
  readonly typed: string | undefined
  /** In minor units. */
  readonly additionalAmount: number
}

/** The choices and the field of an additional amount. */
export const tipField = (
  { texts, locale }: Visitor,
  { request, path, typed, additionalAmount }: Tip,
): Html => {
  const { amount, currency } = request
  const begin = additionalAmount === 0 ? '' : typedLike(additionalAmount, currency, locale)
  const chosen = percents.find((percent) => shareOf(amount, percent) === additionalAmount)
  const percentText = numberFormat(locale, { style: 'percent' })
  const link = `${path}${path.includes('?') ? '&' : '?'}tip=`
  const current = (isIt: boolean) => (isIt ? { 'aria-current': 'true' } : {})
  return [
    <h2 id="tip">{texts.tip}</h2>,
    <ul class="chips" aria-labelledby="tip">
      {percents.map((percent) => (
        <li>
          <a
            href={`${link}${percent}`}
            data-tip={typedLike(shareOf(amount, percent), currency, locale)}
            {...current(percent === chosen)}
          >
            {percent === 0 ? texts.noTip : percentText.format(percent / 100)}
          </a>
        </li>
      ))}
      <li>
        <a href="#extra" data-tip="" {...current(chosen === undefined)}>
          {texts.otherTip}
        </a>
      </li>
    </ul>,
    <label for="extra">{texts.additional}</label>,
    <input
      id="extra"
      name="additional_amount"
      inputmode="decimal"
      autocomplete="off"
      maxlength={16}
      value={typed ?? begin}
      aria-describedby="extra-problem"
      data-total={formatAmount(amount, currency)}
      data-currency={currency}
      data-decimals={decimalsOf(currency)}
      data-wrong={texts.wrongAmount}
      data-large={texts.tipIsLarge}
      data-too-large={texts.refused_additional_amount_is_too_high}
    />,
    <p id="extra-problem" class="wrong small" aria-live="polite" hidden></p>,
  ]
}

export type PaymentPageNeeds = PayerAttachmentNeeds &
  StepUpNeeds & {
    readonly findProfile: (payer: string) => Promise<Profile | undefined>
  }

/** The payer's input that was rejected, and why. */
export type Entered = {
  readonly problem?: string
  readonly typed?: string
  /** The additional amount to confirm; a different one must be confirmed again. */
  readonly confirmed?: string
}

/** Whether the payer came from the shop's checkout on this device. */
export const isCheckout = (call: Call): boolean => searchOf(call).has('checkout')

const pathOf = (call: Call, tid: string): string =>
  `/payer/payment/${tid}${isCheckout(call) ? '?checkout' : ''}`

const scopeOf = ({ requiredScope }: RequestView['request']) => parseScope(requiredScope ?? '')

const answerForm = (
  needs: PaymentPageNeeds,
  visitor: SignedIn,
  call: Call,
  view: RequestView,
  { problem, typed, confirmed }: Entered,
  additionalAmount: number,
  profile: Profile | undefined,
): Html => {
  const { texts, csrf, locale, session } = visitor
  const { request, tid } = view
  const isAsked = problem !== undefined && [texts.stepUpNeeded, texts.wrongCode].includes(problem)
  const above =
    stepUpFor(needs, view, additionalAmount, contextOfPayer(call, session.payer)) ??
    (isAsked ? needs.stepUpAbove(request.currency) : undefined)
  const scope = scopeOf(request)
  const path = pathOf(call, tid)
  const sum = minorText(request.amount + additionalAmount, request.currency, locale)
  // Without scripts the button's amount would not follow the input.
  const isFixed = !request.additionalEdit || confirmed !== undefined
  return (
    <form method="post" action={path}>
      <Wrong text={problem} />
      <Hidden fields={confirmed === undefined ? { csrf } : { csrf, confirmed }} />
      {request.additionalEdit ? tipField(visitor, { request, path, typed, additionalAmount }) : ''}
      {scope.length > 0 && [
        <h2>{texts.required}</h2>,
        request.requiredScopeText !== null && <p>{request.requiredScopeText}</p>,
        scopeList(visitor, scope, profile),
      ]}
      {above !== undefined && [
        <p>{filled(texts.stepUp, { amount: minorText(above, request.currency, locale) })}</p>,
        codeField(texts),
      ]}
      <div class="actions">
        <button name="decision" value="accept">
          {request.action === 'sale' ? texts.pay : texts.reserve}&nbsp;
          <span data-sum="">{isFixed && sum}</span>
        </button>
        <Button
          class="second"
          name="decision"
          value="decline"
          formnovalidate
          text={texts.decline}
        />
      </div>
    </form>
  )
}

/** A payment request to answer, or the receipt of one that was answered. */
export const paymentPage =
  (needs: PaymentPageNeeds, visits: Visits) =>
  async (
    visitor: SignedIn,
    call: Call,
    view: RequestView,
    entered: Entered = {},
  ): Promise<RawReply> => {
    const { outcome, tid } = view
    const { texts, locale } = visitor
    const title = `${texts.payment} – ${view.shop}`
    const status = entered.problem === undefined ? 200 : 400
    if (outcome.status !== 'pending') {
      const { currency } = outcome
      const attached = await attachmentsHtml(needs, visitor, { tid, currency })
      const body = (
        <div class="card">
          {statusHtml(visitor, view)}
          {orderHtml(visitor, view)}
          {receiptHtml(visitor, view)}
          {attached}
        </div>
      )
      return visits.show(visitor, { title, status, body })
    }
    const { request } = view
    const { additionalAmount: requested } = request
    const additionalAmount =
      entered.typed === undefined
        ? requested
        : (typedAmount(entered.typed, request.currency) ?? requested)
    const isAsked = scopeOf(request).length > 0
    const profile = isAsked ? await needs.findProfile(visitor.session.payer) : undefined
    const back = <Link class="back" href="/payer/" text={texts.home} />
    const body = splitHtml(
      [!isCheckout(call) && back, orderHtml(visitor, view, additionalAmount)],
      [
        answerForm(needs, visitor, call, view, entered, additionalAmount, profile),
        <p class="quiet small">
          {texts.expires} {utcTime(outcome.expiresAt, locale)}
        </p>,
      ],
      `/payer/checkout/${tid}/events`,
    )
    return visits.show(visitor, { title, status, body }, { isPayment: true })
  }
