import type { FindTerms } from '../../../application/fee-book.ts'
import type { Find } from '../../../application/find-state.ts'
import type { Handle } from '../../../application/handle.ts'
import { paymentCommand, previewPayment } from '../../../application/payment-acts.ts'
import { staffActor } from '../../../domain/merchant/staff.ts'
import { mayRefund } from '../../../domain/merchant/staff-roles.ts'
import { type MinorUnits, plus, type Pots } from '../../../domain/money/money.ts'
import type { RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { Refusal } from '../../../domain/refusal.ts'
import { dayMs } from '../../../domain/time.ts'
import type { CountedBy } from '../../../projections/counted-amounts.ts'
import type { Call } from '../../../http/call.ts'
import { minorText, typedAmount } from '../../ui/money.tsx'
import { pageProblem } from '../../payer/session.tsx'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import { actionHtml, type ActionForm } from './action-form.tsx'
import {
  choicesOf,
  actOf,
  isPart,
  requestedPots,
  stateMark,
  type Choice,
  type Typed,
  type PaymentAction,
} from './action-input.ts'
import { findPayment } from './query.ts'
import { grossOf } from './preview.tsx'
import { textsIn } from '../../../texts/catalogue.ts'

export type PaymentActionNeeds = {
  readonly handle: Handle
  readonly find: Find
  readonly findTerms: FindTerms
  /** A keyed text that only this installation can make. */
  readonly derive: (...parts: readonly (string | number)[]) => string
  /** The highest refund that needs no further code, in minor units. */
  readonly refundCodeAbove: (currency: string) => number
  readonly countedBy: CountedBy
  readonly caughtUp: () => Promise<void>
}

export type Order = {
  readonly visitor: PortalVisitor
  readonly tid: string
  readonly action: PaymentAction
  readonly typed: Typed
  readonly call: Call
}

/**
 * The amount above which a refund needs a code, where it is above it: with what the payment has had
 * refunded, or with what the person has refunded of all payments within a day.
 */
export const codeAboveFor = (
  needs: PaymentActionNeeds,
  { visitor, action, call }: Order,
  { request: { currency }, refunded }: RequestedPayment,
  pots: Pots,
): MinorUnits | undefined => {
  if (action !== 'refund') return undefined
  const actor = staffActor(visitor.me.member)
  const ofPerson = needs.countedBy({ actor, currency, since: call.at - dayMs })
  const above = needs.refundCodeAbove(currency)
  return Math.max(grossOf(refunded), ofPerson) + grossOf(pots) > above ? above : undefined
}

/** Why the role may not do it; undefined if it may. */
export const limitOf = (
  { visitor, action }: Order,
  { request, refunded }: RequestedPayment,
  pots: Pots,
): string | undefined => {
  if (action !== 'refund') return undefined
  const { terms } = visitor.me
  const { currency } = request
  if (mayRefund(terms, { currency, amount: grossOf(plus(refunded, pots)) })) return undefined
  const texts = textsIn[visitor.language].payments
  if (terms.role !== 'support') return texts.otherRole
  const { amount, currency: of } = terms.refundLimit
  return texts.limit({ amount: minorText(amount, of, visitor.locale) })
}

type Problems = Pick<ActionForm, 'problem' | 'codeProblem' | 'wrongField'> & {
  readonly status?: 400 | 403 | 409
}

/** Which of the typed amounts cannot be meant; a tip is in the total. */
const wrongFieldOf = ({ request }: RequestedPayment, { amount }: Typed) =>
  typedAmount(amount ?? '', request.currency) === undefined ? 'amount' : 'additional'

/** The page of an action; `find` is its payment. */
export const actionPages = (needs: PaymentActionNeeds) => {
  const find = findPayment(needs)

  /** The form with its preview; what cannot be done is told instead. */
  const formPage = async (order: Order, found: Problems = {}): Promise<PortalPage> => {
    const { visitor, tid, action, typed, call } = order
    const { at } = call
    const texts = textsIn[visitor.language].payments
    const payment = await find(visitor, tid, at)
    const mark = stateMark(needs.derive, tid, action, payment)
    const mayAsk = ({ pots }: Choice) => limitOf(order, payment, pots) === undefined
    const choices = choicesOf(action, payment).filter(mayAsk)
    const about = { visitor, texts, tid, action, payment, typed, mark, choices }
    const title = texts[`action_${action}`]
    const page = (form: Partial<ActionForm>, status: PortalPage['status']): PortalPage => {
      const { status: _, ...problems } = found
      const body = actionHtml({ ...about, ...form, ...problems })
      return { title, body, status: found.status ?? status ?? 200 }
    }
    const pots = requestedPots(action, payment, typed)
    if (pots === undefined)
      return page({ problem: texts.wrongAmount, wrongField: wrongFieldOf(payment, typed) }, 400)
    const limit = limitOf(order, payment, pots)
    if (limit !== undefined) return page({ problem: limit, wrongField: 'amount' }, 403)
    try {
      const said = { currency: payment.request.currency, mark, reason: typed.reason }
      const act = actOf(action, pots, said)
      const command = await paymentCommand(needs, payment.request, act, at)
      const preview = previewPayment(payment, command, at)
      const codeAbove = codeAboveFor(needs, order, payment, pots)
      return page({ requested: { pots, preview }, codeAbove }, 200)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const problem = pageProblem(error, visitor.texts)
      const ofAmount = isPart(action) && /exceeds|is_nothing/.test(error.code)
      const wrongField = ofAmount ? 'amount' : undefined
      return page({ problem: problem?.text ?? texts.notNow, wrongField }, problem?.status)
    }
  }
  return { find, formPage }
}
