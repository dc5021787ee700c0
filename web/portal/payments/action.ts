import { z } from 'zod'
import { makeSerialByKey } from '../../../application/serial-by-key.ts'
import { paymentCommand } from '../../../application/payment-acts.ts'
import { payments } from '../../../domain/aggregates.ts'
import { findItem } from '../../../domain/chunked-list.ts'
import { samePots, type Pots } from '../../../domain/money/money.ts'
import type { Part, RequestedPayment } from '../../../domain/payment/payment-state.ts'
import { refuse } from '../../../domain/refusal.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf, type FormOf } from '../../../http/forms.ts'
import { anyText, hidden, plainForm, typed } from '../../ui/fields.tsx'
import type { Visits } from '../../payer/session.tsx'
import { codeProblem } from '../../staff/guard.tsx'
import type { RawReply, Route } from '../../../http/route.ts'
import { portalPath } from '../areas.ts'
import { contextOfStaff } from '../guard.ts'
import type { PortalPage, PortalVisitor } from '../page.tsx'
import type { PortalPages } from '../pages.ts'
import {
  actionPages,
  codeAboveFor,
  limitOf,
  type Order,
  type PaymentActionNeeds,
} from './action-page.ts'
import {
  actOf,
  partIdOf,
  requestedPots,
  stateMark,
  isPart,
  paymentActions,
  type PaymentAction,
} from './action-input.ts'
import { paymentParams, paymentPath } from './query.ts'
import { textsIn } from '../../../texts/catalogue.ts'

const actionForm = plainForm.extend({
  mark: hidden('the state of the payment that the form was made for.'),
  had: hidden('until when the authorisation lasted then, in milliseconds.'),
  amount: hidden('what was shown.').optional(),
  additional: hidden('what was shown of what was added on top.').optional(),
  reason: typed('The reason of a refund.').optional(),
  code: typed('A one-time code, for refunds above what the operator has set.').optional(),
})

const actionQuery = z.object({
  amount: anyText('How much; else all of it.'),
  additional: anyText('Of what was added on top.'),
  of: anyText('The total that the form had; then `amount` is a total, with the tip in it.'),
})

/** Whether the form has done its work before. */
const isDone = (
  action: PaymentAction,
  payment: RequestedPayment,
  { mark, had, pots }: { readonly mark: string; readonly had: number; readonly pots: Pots },
): boolean => {
  const isIt = (part: Part) => part.id === partIdOf(mark) && samePots(part, pots)
  switch (action) {
    case 'capture':
      return findItem(payment.captures, isIt) !== undefined
    case 'refund':
      return findItem(payment.refunds, isIt) !== undefined
    case 'release':
      return payment.endedByMerchant
    case 'renew':
      return payment.isRenewed && payment.expiresAt > had
  }
}

type ActionFields = FormOf<typeof actionForm>

const orderOf = (
  visitor: PortalVisitor,
  action: PaymentAction,
  call: Call<{ readonly tid: string }, undefined, ActionFields>,
): Order => {
  const { body } = call
  const field = (name: 'amount' | 'additional') =>
    body[name] === undefined ? null : fieldOf(body, name)
  const typed = {
    amount: field('amount'),
    additional: field('additional'),
    of: null,
    reason: fieldOf(body, 'reason').slice(0, 1000),
  }
  return { visitor, tid: call.params.tid, action, typed, call: call as Call }
}

/** Carries out what a form has shown: once, whatever is clicked how often, in how many tabs. */
const makeCarryOut = (needs: PaymentActionNeeds, visits: Visits, { confirm }: PortalPages) => {
  const { find, formPage } = actionPages(needs)
  const inOrder = makeSerialByKey()
  const refundsInOrder = makeSerialByKey()

  const carryOut = async (order: Order, body: ActionFields): Promise<PortalPage | RawReply> => {
    const { visitor, tid, action, typed, call } = order
    const { at } = call
    const texts = textsIn[visitor.language].payments
    if (visitor.shop.isDisabled) return refuse('merchant_is_disabled')
    const payment = await find(visitor, tid, at)
    const pots = requestedPots(action, payment, typed)
    if (pots === undefined) return formPage(order)
    const form = { mark: fieldOf(body, 'mark'), had: Number(fieldOf(body, 'had')), pots }
    const part = isPart(action) ? `&part=${partIdOf(form.mark)}` : ''
    const place = paymentPath(tid, `?done=${action}${part}`)
    const done = () => visits.go(visitor, portalPath(visitor.shop.merchant, place))
    if (isDone(action, payment, form)) return done()
    if (form.mark !== stateMark(needs.derive, tid, action, payment))
      return formPage(order, { problem: texts.changed, status: 409 })
    if (limitOf(order, payment, pots) !== undefined) return formPage(order)
    if (codeAboveFor(needs, order, payment, pots) !== undefined) {
      const problem = await codeProblem(confirm, visitor, { ...call, query: undefined, body })
      if (problem !== undefined) return formPage(order, { codeProblem: problem, status: 400 })
    }
    const said = { currency: payment.request.currency, mark: form.mark, reason: typed.reason }
    const act = actOf(action, pots, said)
    const command = await paymentCommand(needs, payment.request, act, at)
    await needs.handle(payments, tid, command, contextOfStaff(call, visitor))
    return done()
  }

  return (order: Order, body: ActionFields) => {
    const ofPayment = () => inOrder(order.tid, () => carryOut(order, body))
    if (order.action !== 'refund') return ofPayment()
    // Refunds of one person count together.
    return refundsInOrder(order.visitor.me.member, async () => {
      await needs.caughtUp()
      return ofPayment()
    })
  }
}

const summaries = {
  capture: ['What a capture will do', 'Capture, whole or in part'],
  release: ['What a release will do', 'Release what is left, or withdraw the request'],
  renew: ['What a renewal will do', 'Renew the authorisation'],
  refund: ['What a refund will do', 'Refund, whole or in part'],
} as const satisfies Readonly<Record<PaymentAction, readonly [string, string]>>

/** What can be done with a payment: a page shows what it will do, and its form does it. */
export const paymentActionRoutes = (
  needs: PaymentActionNeeds,
  pages: PortalPages,
  visits: Visits,
): Route[] => {
  const { formPage } = actionPages(needs)
  const carryOut = makeCarryOut(needs, visits, pages)
  return paymentActions.flatMap((action) => {
    const place = {
      path: `/portal/:merchant/payments/:tid/${action}`,
      params: paymentParams,
      action,
      area: 'payments',
    } as const
    const [shows, does] = summaries[action]
    return [
      pages.page({ ...place, summary: shows, ownQuery: actionQuery }, async (visitor, call) => {
        const search = searchOf(call)
        const { tid } = call.params
        const typed = {
          amount: search.get('amount'),
          additional: search.get('additional'),
          of: search.get('of'),
          reason: '',
        }
        return formPage({ visitor, tid, action, typed, call: call as Call })
      }),
      pages.form({ ...place, summary: does, ownForm: actionForm }, async (visitor, call) =>
        carryOut(orderOf(visitor, action, call), call.body),
      ),
    ]
  })
}
