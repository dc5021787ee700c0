import type { Handle } from '../../../application/handle.ts'
import type { TakePayment } from '../../../application/take-payment.ts'
import { payments } from '../../../domain/aggregates.ts'
import { Refusal, refuse } from '../../../domain/refusal.ts'
import { searchOf, type Call } from '../../../http/call.ts'
import { fieldOf } from '../../../http/forms.ts'
import type { Route } from '../../../http/route.ts'
import { anyText, plainForm } from '../../ui/fields.tsx'
import { pageProblem, type Visits } from '../../payer/session.tsx'
import { portalPath } from '../areas.ts'
import { contextOfStaff, type PortalNeeds, type PageOrReply } from '../guard.ts'
import type { PortalVisitor } from '../page.tsx'
import { portalPages } from '../pages.ts'
import { findPayment, paymentParams } from '../payments/query.ts'
import {
  fieldsIn,
  emptyFields,
  readFields,
  takeForm,
  takePage,
  type FormNeeds,
  type FormView,
  type TakeFields,
  type TakeForm,
} from './form.tsx'
import { waitPage, type WaitNeeds } from './wait.tsx'
import { z } from 'zod'
import { textsIn } from '../../../texts/catalogue.ts'

type TakeNeeds = PortalNeeds &
  FormNeeds &
  WaitNeeds & {
    readonly handle: Handle
    readonly takePayment: TakePayment
    readonly tidOf: (merchant: string, posId: string, posTid: string) => string
    /** A keyed text that only this installation can make. */
    readonly derive: (...parts: readonly (string | number)[]) => string
    readonly newToken: () => { readonly token: string }
  }

/** An order number of eight characters, the same for a form that is sent twice. */
const orderNumber = ({ derive }: TakeNeeds, attempt: string, fields: TakeFields): string =>
  derive('take', attempt, JSON.stringify(fields))
    .replaceAll(/[^a-zA-Z0-9]/g, '')
    .toUpperCase()
    .slice(0, 8)

const taking =
  (needs: TakeNeeds, visits: Visits) =>
  async (
    visitor: PortalVisitor,
    call: Call<unknown, undefined, TakeForm>,
  ): Promise<PageOrReply> => {
    const { shop, language, texts } = visitor
    const { merchant, currency } = shop
    if (shop.isDisabled) return refuse('merchant_is_disabled')
    const fields = fieldsIn(call.body)
    const again = (changes: Partial<FormView>) =>
      takePage(needs, visitor, { fields, attempt: needs.newToken().token, ...changes })
    const { taken, problems } = readFields(visitor, fields, visits.readPhone)
    if (taken === undefined) return again({ problems })
    const posTid = orderNumber(needs, fieldOf(call.body, 'attempt'), fields)
    const known = await needs.find(payments, needs.tidOf(merchant, taken.posId, posTid), 'log')
    if (known.status !== 'unrequested' && known.status !== 'pending')
      return again({ problem: textsIn[language].take.isOver, status: 409 })
    try {
      const context = contextOfStaff(call as Call, visitor)
      const tid = await needs.takePayment({ merchant, currency, posTid, ...taken }, context)
      return visits.go(visitor, portalPath(merchant, `take/${tid}`))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const problem = pageProblem(error, texts)
      return again({ problem: problem?.text, status: problem?.status })
    }
  }

const place = { action: 'take_payment', area: 'take' } as const

/** Takes a payment: from a phone number, or by a QR code and a link. */
export const takeRoutes = (needs: TakeNeeds, visits: Visits): Route[] => {
  const { page, form } = portalPages(needs, visits)
  const find = findPayment(needs)
  const one = { ...place, path: '/portal/:merchant/take/:tid', params: paymentParams }
  const start = { ...place, path: '/portal/:merchant/take' }
  return [
    page(
      {
        ...start,
        summary: 'Take a payment',
        ownQuery: z.object({ amount: anyText('How much.'), text: anyText('What for.') }),
      },
      async (visitor, call) => {
        const search = searchOf(call as Call)
        const [amount, text] = [search.get('amount') ?? '', search.get('text') ?? '']
        const fields = { ...emptyFields, amount, text }
        return takePage(needs, visitor, { fields, attempt: needs.newToken().token })
      },
    ),
    form(
      { ...start, summary: 'Request a payment from whoever pays here', ownForm: takeForm },
      taking(needs, visits),
    ),
    page(
      { ...one, summary: 'Wait for the payer, and see what came of it' },
      async (visitor, call) => {
        await needs.caughtUp()
        const { tid } = call.params
        return waitPage(needs, { visitor, tid, payment: await find(visitor, tid, call.at) })
      },
    ),
    form(
      { ...one, summary: 'Cancel a payment that nobody has answered', ownForm: plainForm },
      async (visitor, call) => {
        const { tid } = call.params
        const { status } = await find(visitor, tid, call.at)
        const command = { type: 'ReleasePayment', at: call.at } as const
        // Of one that was answered meanwhile, the page says so.
        if (status === 'pending')
          await needs.handle(payments, tid, command, contextOfStaff(call, visitor))
        return visits.go(visitor, portalPath(visitor.shop.merchant, `take/${tid}`))
      },
    ),
  ]
}
