import {
  Actions,
  Card,
  Crumbs,
  Done,
  Facts,
  Hidden,
  Link,
  Quiet,
  type Fact,
  type Html,
  Title,
} from '../ui/components.tsx'
import { z } from 'zod'
import type { Find } from '../../application/find-state.ts'
import { showsSomething } from '../../domain/blanks.ts'
import { feeSchedules, merchants } from '../../domain/aggregates.ts'
import { waits, whyNotApproved, type MerchantData } from '../../domain/merchant/merchant.ts'
import { operatorMayDo, type OperatorAction } from '../../domain/people/operator-roles.ts'
import { refuse } from '../../domain/refusal.ts'
import { isDisabled } from '../../domain/register.ts'
import { switchedIn } from '../../domain/switchable.ts'
import { searchOf } from '../../http/call.ts'
import { type Visits } from '../payer/session.tsx'
import { doneIn, filled } from '../ui/words.tsx'
import { schedulesHtml } from '../portal/money-terms.tsx'
import { merchantParam } from '../portal/pages.ts'
import type { Route } from '../../http/route.ts'
import { operatorPath } from './areas.ts'
import { merchantPath, stateHtml } from './merchants.tsx'
import {
  operatorPages,
  type OperatorNeeds,
  type OperatorVisitor,
  contextOfOperator,
  type OperatorPage,
} from './pages.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { StaffWork } from '../../application/staff.ts'
import type { RequestedAccountChange } from '../../domain/accounting/settlement-account.ts'
import type { Instant } from '../../domain/time.ts'
import { allPointsOfSale } from '../../projections/turnover.ts'
import type { Queries } from '../../projections/read-models.ts'
import { minorText, utcTime } from '../ui/money.tsx'
import { failingAddresses, type PanelNeeds } from '../portal/overview-panels.tsx'
import type { TurnoverNeeds } from '../portal/overview-numbers.ts'
import { nextPayoutHtml } from '../portal/next-payout.tsx'
import type { ScanNeeds } from '../portal/points/scans.tsx'
import { switchMerchant, turnDownMerchant, type ClaimNeeds } from '../../application/merchants.ts'
import type { Handle } from '../../application/handle.ts'
import { fieldOf } from '../../http/forms.ts'
import {
  codeField,
  Field,
  hasProblems,
  hidden,
  plainForm,
  type Problems,
  typed,
} from '../ui/fields.tsx'
import { codeProblem } from '../staff/guard.tsx'
import { filledText } from '../../texts/message.ts'

export type MerchantPartNeeds = Pick<StaffWork, 'findStaff' | 'nameOf'> &
  Pick<TurnoverNeeds, 'turnoverBetween'> &
  Pick<ScanNeeds, 'dayStarts'> &
  Pick<PanelNeeds, 'moneyOf' | 'failingCallbacks'> &
  Pick<Queries['accounting'], 'settlementAccounts' | 'accountChanges'>

export const days = 30

export const addressesListed = 20

/** A part of the page of one merchant. */
export type PartOf<Part> = (
  needs: MerchantPartNeeds,
  visitor: OperatorVisitor,
  of: MerchantData,
) => Part

export const ownersHtml: PartOf<Promise<Html>> = async (needs, { language }, { id }) => {
  const { findStaff, nameOf } = needs
  const { members } = await findStaff(id)
  const owners = members.filter(
    ({ status, terms }) => status === 'joined' && terms.role === 'owner',
  )
  const names = await Promise.all(owners.map(({ person }) => nameOf(person)))
  const known = names.filter((name) => name !== undefined)
  return known.length > 0
    ? known.join(', ')
    : filled(textsIn[language].merchants.noOwner, { merchant: id })
}

export const requestedHtml = (
  { payoutAccount, takesEffectAt }: RequestedAccountChange,
  { language, locale }: OperatorVisitor,
): Html => {
  const from = utcTime(takesEffectAt, locale)
  return filled(textsIn[language].merchants.accountFrom, {
    account: <b>{payoutAccount}</b>,
    time: from,
  })
}

/** What is known of a merchant; fields that are empty are left out. */
export const factsHtml: PartOf<Promise<Html>> = async (needs, visitor, data) => {
  const texts = textsIn[visitor.language].merchants
  const { profile, organizationId, lookupIds } = data
  const account = needs.settlementAccounts.find(data.id)?.payoutAccount
  const requested = needs.accountChanges.find(data.id)?.asked
  const place = [...profile.addressLines, profile.postalCode, profile.country].filter(Boolean)
  const contact = [profile.phoneNumber, profile.email, profile.url].filter(Boolean)
  const optional = (name: string, value: string): readonly Fact[] =>
    value === '' ? [] : [[name, value]]
  return (
    <section class="card">
      <Facts
        kind="money-facts"
        of={[
          [texts.id, <code>{data.id}</code>],
          ...optional(texts.organization, organizationId ?? ''),
          ...optional(texts.lookupIds, lookupIds.join(', ')),
          [texts.owners, await ownersHtml(needs, visitor, data)],
          [texts.account, account ?? <span class="badge warn">{texts.noAccount}</span>],
          ...(requested ? [[texts.accountAsked, requestedHtml(requested, visitor)] as const] : []),
          [texts.currency, data.currency],
          [texts.timeZone, data.timeZone],
          ...optional(texts.address, place.join(', ')),
          ...optional(texts.contact, contact.join(', ')),
        ]}
      />
    </section>
  )
}

export const turnoverHtml = (
  { turnoverBetween, dayStarts }: MerchantPartNeeds,
  { language, locale }: OperatorVisitor,
  { id, timeZone }: MerchantData,
  at: Instant,
): Html => {
  const texts = textsIn[language].merchants
  const starts = dayStarts(timeZone, at, days)
  const of = { merchant: id, posIds: [allPointsOfSale] }
  const rows = turnoverBetween(of, starts[0] ?? 0, starts.at(-1) ?? at)
  if (rows.length === 0) return <Quiet text={texts.noTurnover} />
  return rows.map(({ currency, captured, requested, payments, refunded, fees }) => {
    const amount = (minor: number) => minorText(minor, currency, locale)
    const line = { count: payments, requested, refunded: amount(refunded), fees: amount(fees) }
    return [
      <p class="figure">{amount(captured)}</p>,
      <p class="quiet small">{texts.turnoverLine(line)}</p>,
    ]
  })
}

export const callbacksHtml: PartOf<Html> = ({ failingCallbacks }, visitor, { id }) => {
  const texts = textsIn[visitor.language].merchants
  const found = failingCallbacks(id, addressesListed)
  if (found.length === 0) return <Quiet text={texts.callbacksNone} />
  return failingAddresses(found, { since: texts.failingSince, rests: texts.rests }, visitor)
}

/** What it turns over, what it is owed, and which of its addresses fail. */
export const panelsHtml = (
  needs: MerchantPartNeeds,
  visitor: OperatorVisitor,
  data: MerchantData,
  at: Instant,
): Html => {
  const texts = textsIn[visitor.language].merchants
  return [
    <Card title={texts.turnoverLast30}>{turnoverHtml(needs, visitor, data, at)}</Card>,
    <Card title={texts.payout}>
      {nextPayoutHtml(needs, { ...data, merchant: data.id }, at, visitor)}
    </Card>,
    <Card title={texts.callbacks}>{callbacksHtml(needs, visitor, data)}</Card>,
  ]
}

export type MerchantPageNeeds = OperatorNeeds & MerchantPartNeeds & { readonly find: Find }

export const merchantParams = z.object({ merchant: merchantParam })

export type OneMerchant = {
  readonly data: MerchantData
  readonly isDisabled: boolean
  /** For approval. */
  readonly waits: boolean
  readonly mayBeApproved: boolean
  /** How often it was disabled or enabled. */
  readonly switched: number
}

/** @throws Refusal resource_is_unknown */
export const findMerchant = async (
  { find }: { readonly find: Find },
  id: string,
): Promise<OneMerchant> => {
  const entry = await find(merchants, id, 'log')
  if (entry.status !== 'present') return refuse('resource_is_unknown')
  const mayBeApproved = whyNotApproved(entry) === undefined
  const state = { isDisabled: isDisabled(entry), waits: waits(entry), mayBeApproved }
  return { data: entry.data, ...state, switched: switchedIn(entry) }
}

/** The way back to the merchants, or to the one that it is about. */
export const merchantCrumbs = ({ language }: OperatorVisitor, one?: MerchantData): Html =>
  one ? (
    <Crumbs links={[[merchantPath(one.id), one.businessName]]} />
  ) : (
    <Crumbs links={[[operatorPath('merchants'), textsIn[language].merchants.merchants]]} />
  )

/** What can be done about it now, by whoever looks. */
const actionsHtml = ({ language, me }: OperatorVisitor, one: OneMerchant) => {
  const { data } = one
  const texts = textsIn[language].merchants
  const link = (way: Way | 'fees', text: string, kind = 'second') => (
    <Link class={`button ${kind}`} href={merchantPath(data.id, `/${way}`)} text={text} />
  )
  const fees = operatorMayDo(me.terms, 'set_fees') ? link('fees', texts.setFees) : ''
  if (one.waits)
    return [
      fees,
      ' ',
      operatorMayDo(me.terms, 'approve_merchants') && [
        link('reject', texts.reject),
        ' ',
        link('approve', texts.approve, ''),
      ],
    ]
  if (!operatorMayDo(me.terms, 'switch_merchants')) return fees
  return [
    fees,
    ' ',
    one.isDisabled ? link('enable', texts.enable) : link('disable', texts.disable, 'danger'),
  ]
}

export const merchantPageRoutes = (needs: MerchantPageNeeds, visits: Visits): Route[] => {
  const { page } = operatorPages(needs, visits)
  return [
    page(
      {
        path: '/operator/merchants/:merchant',
        summary: 'One merchant',
        params: merchantParams,
        action: 'see_merchants',
        area: 'merchants',
      },
      async (visitor, call) => {
        const one = await findMerchant(needs, call.params.merchant)
        const { data } = one
        const texts = textsIn[visitor.language].merchants
        const { approveDone: approved, disableDone: disabled, enableDone: enabled } = texts
        const { rejectDone: rejected } = texts
        const { feesDone: fees } = texts
        const schedules = await needs.find(feeSchedules, data.id, 'log')
        return {
          title: data.businessName,
          body: [
            merchantCrumbs(visitor),
            <Title text={[data.businessName, ' ', stateHtml(texts, one)]}>
              <div class="buttons">{actionsHtml(visitor, one)}</div>
            </Title>,
            <Done text={doneIn(searchOf(call), { approved, rejected, disabled, enabled, fees })} />,
            <div class="columns">
              {await factsHtml(needs, visitor, data)}
              <div>{panelsHtml(needs, visitor, data, call.at)}</div>
            </div>,
            <h2 class="section">{texts.fees}</h2>,
            schedulesHtml(schedules, data, visitor, call.at),
          ],
        }
      },
    ),
  ]
}

export type MerchantSwitchNeeds = MerchantPageNeeds & {
  readonly handle: Handle
  readonly holderOfOrganization: ClaimNeeds['holderOfOrganization']
}

export const ways = ['approve', 'reject', 'disable', 'enable'] as const

export type Way = (typeof ways)[number]

export const summaries: Readonly<Record<Way, string>> = {
  approve: 'Let a merchant that has signed up by itself take payments',
  reject: 'Turn down a merchant that has signed up, with a reason that it reads',
  disable: 'Refuse all requests of a merchant',
  enable: 'Let a disabled merchant in again',
}

export const switchForm = plainForm.extend({
  seen: hidden('how often it was disabled or enabled when the form was made.'),
  reason: typed('Why it is turned down, at most 500 characters.').optional(),
  code: typed('A one-time code.'),
})

const longestReason = 500

type Typed = { readonly reason?: string; readonly problems?: Problems }

export const askPage = async (
  needs: MerchantSwitchNeeds,
  visitor: OperatorVisitor,
  { data, switched }: OneMerchant,
  way: Way,
  { reason = '', problems = {} }: Typed = {},
): Promise<OperatorPage> => {
  const texts = textsIn[visitor.language].merchants
  const hasFees = (await needs.find(feeSchedules, data.id, 'log')).length > 0
  const title = filledText(texts[`${way}Ask`], { merchant: data.businessName })
  return {
    title,
    status: hasProblems(problems) ? 400 : 200,
    body: [
      merchantCrumbs(visitor, data),
      <div class="columns">
        <form class="card" method="post" action={merchantPath(data.id, `/${way}`)}>
          <h1>{title}</h1>
          <p>{texts[`${way}What`]}</p>
          {way === 'approve' && !hasFees && <p class="note warn">{texts.approveWithoutFees}</p>}
          <Hidden fields={{ csrf: visitor.csrf, seen: String(switched) }} />
          {way === 'reject' && (
            <Field
              name="reason"
              label={texts.rejectReason}
              hint={texts.rejectReasonHint}
              problem={problems['reason']}
              value={reason}
              maxlength={longestReason}
              required
            />
          )}
          {codeField(visitor.texts, problems['code'])}
          <Actions
            kind={way === 'disable' || way === 'reject' ? 'danger' : ''}
            button={texts[way]}
            back={merchantPath(data.id)}
            cancel={visitor.texts.cancel}
          />
        </form>
        {await factsHtml(needs, visitor, data)}
      </div>,
    ],
  }
}

export const commands = { approve: 'Approve', disable: 'Disable', enable: 'Enable' } as const

const findFor = async (needs: MerchantSwitchNeeds, id: string, way: Way): Promise<OneMerchant> => {
  const one = await findMerchant(needs, id)
  const may = { approve: one.mayBeApproved, reject: one.waits, disable: true, enable: true }
  return may[way] ? one : refuse('resource_is_unknown')
}

/** Approves, disables and enables merchants, with the second factor. */
export const merchantSwitchRoutes = (needs: MerchantSwitchNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  return ways.flatMap((way) => {
    const isOfApproval = way === 'approve' || way === 'reject'
    const action: OperatorAction = isOfApproval ? 'approve_merchants' : 'switch_merchants'
    const place = {
      action,
      path: `/operator/merchants/:merchant/${way}`,
      params: merchantParams,
      summary: summaries[way],
      area: 'merchants' as const,
    }
    return [
      page(place, async (visitor, call) =>
        askPage(needs, visitor, await findFor(needs, call.params.merchant, way), way),
      ),
      form({ ...place, ownForm: switchForm }, async (visitor, call) => {
        const { merchant } = call.params
        const one = await findFor(needs, merchant, way)
        const reason = fieldOf(call.body, 'reason').slice(0, longestReason)
        const texts = textsIn[visitor.language].merchants
        const again = (problems: Problems) =>
          askPage(needs, visitor, one, way, { reason, problems })
        if (way === 'reject' && !showsSomething(reason))
          return again({ reason: texts.rejectReasonMissing })
        const code = await codeProblem(confirm, visitor, call)
        if (code !== undefined) return again({ code })
        const context = contextOfOperator(call, visitor, merchant)
        const seen = Number(fieldOf(call.body, 'seen') || Number.NaN)
        if (way === 'reject') await turnDownMerchant(needs)(merchant, reason, context, seen)
        else await switchMerchant(needs)(merchant, commands[way], context, seen)
        return visits.go(visitor, merchantPath(merchant, `?${way}${way === 'reject' ? 'ed' : 'd'}`))
      }),
    ]
  })
}
