import { Form, Link, type Html } from '../ui/components.tsx'
import type { StaffWork } from '../../application/staff.ts'
import { nextTurn } from '../../application/time-budget.ts'
import { mayDo, type StaffAction } from '../../domain/merchant/staff-roles.ts'
import type { Call } from '../../http/call.ts'
import { ownCookie } from '../../http/own-cookie.ts'
import type { RawReply } from '../../http/route.ts'
import { everyPayment, searchPayments } from '../../projections/payment-search.ts'
import type { PaymentLists } from '../../projections/payment-list.ts'
import type { Visits } from '../payer/session.tsx'
import { portalPath } from './areas.ts'
import { docsPath } from './developers/code-page.tsx'
import type { PortalVisitor } from './page.tsx'
import { namesOfPos, type PosOf } from './payments/query.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export type StepNeeds = Pick<StaffWork, 'findStaff'> & {
  readonly isSecure: boolean
  readonly posOf: PosOf
  readonly lists: PaymentLists
  readonly ledgers: { idsOf(merchant: string): readonly string[] }
  readonly reports: { find(merchant: string, ledger: string, number: number): unknown }
  readonly settlements: {
    list(
      merchant: string,
      before: number,
      limit: number,
    ): readonly { readonly payouts: readonly { readonly status: string }[] }[]
  }
  readonly settlementAccounts: {
    find(merchant: string): { readonly payoutAccount: string | null } | undefined
  }
}

const names = ['account', 'tills', 'staff', 'payment', 'report', 'payout'] as const

type Name = (typeof names)[number]

/** Settlements that are looked through for a payout that has arrived. */
const mostSettlements = 20

/** What the merchant has done of the way to its first payout. */
const doneBy = async (
  needs: StepNeeds,
  { shop: { merchant }, at }: PortalVisitor,
): Promise<Readonly<Record<Name, boolean>>> => {
  const search = searchPayments(needs.lists, nextTurn)
  const paid = { ...everyPayment, status: 'ok' } as const
  const { rows } = await search(merchant, paid, { behind: null, limit: 1 }, at)
  const { members } = await needs.findStaff(merchant)
  const settlements = needs.settlements.list(merchant, Number.MAX_SAFE_INTEGER, mostSettlements)
  return {
    account: typeof needs.settlementAccounts.find(merchant)?.payoutAccount === 'string',
    tills: namesOfPos(needs, merchant).size > 0,
    staff: members.filter(({ status }) => status !== 'gone').length > 1,
    payment: rows.length > 0,
    report: needs.ledgers
      .idsOf(merchant)
      .some((ledger) => needs.reports.find(merchant, ledger, 1) !== undefined),
    payout: settlements.some(({ payouts }) => payouts.some(({ status }) => status === 'paid')),
  }
}

type Way = readonly [action: StaffAction, href: string, text: string]

/** Where each step is done; each role sees those that it may do. */
const waysOf = (
  visitor: PortalVisitor,
  texts: Catalogue['overview'],
): Readonly<Record<Name, readonly Way[]>> => {
  const path = (more: string) => portalPath(visitor.shop.merchant, more)
  return {
    account: [['change_settlement_account', path('money/account'), texts.step_account]],
    tills: [
      ...(mayDo(visitor.me.terms, 'change_points_of_sale')
        ? [['take_payment', path('take'), textsIn[visitor.language].portal.take] as const]
        : []),
      ['change_points_of_sale', path('points-of-sale/new'), texts.firstPos],
      ['change_api_users', path('developers?add'), texts.firstUser],
      ['see_developers', docsPath(visitor, 'payments'), texts.firstAsk],
    ],
    staff: [['change_staff', path('staff?invite'), texts.step_staff]],
    payment: [['take_payment', path('take'), texts.step_payment]],
    report: [['close_report', path('money/ledgers/default'), texts.step_report]],
    payout: [['see_money', path('money'), texts.step_payout]],
  }
}

const cookieOf = ({ isSecure }: Pick<StepNeeds, 'isSecure'>) =>
  ownCookie({ isSecure, sameSite: 'Lax' }, 'no-steps', /^[\w.-]{1,700}$/)

const year = 31_536_000

const mostHidden = 10

const hiddenIn = (needs: Pick<StepNeeds, 'isSecure'>, { request }: Call): readonly string[] =>
  cookieOf(needs).find(request.header('cookie'))?.split('.') ?? []

/** Hides the steps of a merchant in this browser. */
export const hideSteps = (
  needs: StepNeeds,
  visits: Visits,
  visitor: PortalVisitor,
  call: Call,
): RawReply => {
  const { merchant } = visitor.shop
  const others = hiddenIn(needs, call).filter((one) => one !== merchant)
  const value = [...others, merchant].slice(-mostHidden).join('.')
  return visits.go(visitor, portalPath(merchant), [cookieOf(needs).keepFor(value, year)])
}

const stepHtml = (
  name: Name,
  own: readonly Way[],
  isDone: boolean,
  texts: Catalogue['overview'],
) => (
  <li class={isDone ? 'done' : undefined}>
    {isDone ? (
      [<span class="unseen">{texts.stepDone}</span>, ' ', texts[`step_${name}`]]
    ) : (
      <>
        {own.length > 1 && [texts[`step_${name}`], ': ']}
        {own.map(([, href, text], index) => [index > 0 && ', ', <Link href={href} text={text} />])}
      </>
    )}
  </li>
)

/**
 * The steps to the first payout, with ticks, folded after the first payment; nothing once all are
 * done, or hidden.
 */
export const firstStepsHtml = async (
  needs: StepNeeds,
  visitor: PortalVisitor,
  call: Call,
): Promise<Html> => {
  const { shop, me, language, csrf } = visitor
  const texts = textsIn[language].overview
  const ways = waysOf(visitor, texts)
  const ownOf = (name: Name) => ways[name].filter(([action]) => mayDo(me.terms, action))
  const own = names.filter((name) => ownOf(name).length > 0)
  if (own.length === 0 || hiddenIn(needs, call).includes(shop.merchant)) return null
  const done = await doneBy(needs, visitor)
  const left = own.filter((name) => !done[name])
  if (left.length === 0) return null
  return (
    <details class="card fold" id="steps" open={!done.payment}>
      <summary>
        <h2>{texts.firstSteps}</h2>
        <span class="quiet">{`${own.length - left.length}/${own.length}`}</span>
      </summary>
      <ol class="first-steps">
        {own.map((name) => stepHtml(name, ownOf(name), done[name], texts))}
      </ol>
      <Form action={portalPath(shop.merchant)} hidden={{ csrf }}>
        <button class="plain small">{texts.stepsHide}</button>
      </Form>
    </details>
  )
}
