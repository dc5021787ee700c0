import { Actions, Form, Hidden, Table, type Html, Title } from '../ui/components.tsx'
import { z } from 'zod'
import { planFees, setFees, taxcodesKnown, type FeePlan } from '../../application/set-fees.ts'
import type { Handle } from '../../application/handle.ts'
import { termsInForce, type FeeTerms } from '../../domain/accounting/fees.ts'
import { feeSchedules } from '../../domain/aggregates.ts'
import type { MerchantData } from '../../domain/merchant/merchant.ts'
import { dayMs, type Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { searchOf, type Call } from '../../http/call.ts'
import { fieldOf } from '../../http/forms.ts'
import { codeField, type Problems } from '../ui/fields.tsx'
import { type Visits } from '../payer/session.tsx'
import { dayText } from '../portal/money-parts.tsx'
import type { Route } from '../../http/route.ts'
import { codeProblem } from '../staff/guard.tsx'
import {
  currencyIn,
  feeFieldsHtml,
  feeForm,
  readFees,
  valuesIn,
  valuesOf,
  type FeePlace,
  type FeeValues,
} from './fee-form.tsx'
import {
  findMerchant,
  merchantCrumbs,
  merchantParams,
  type MerchantPageNeeds,
} from './merchant.tsx'
import { merchantPath } from './merchants.tsx'
import {
  contextOfOperator,
  operatorPages,
  type OperatorPage,
  type OperatorVisitor,
} from './pages.tsx'
import { vatRateOf } from '../../domain/accounting/taxcodes.ts'
import { jsonEquals } from '../../domain/json-equality.ts'
import { minorText } from '../ui/money.tsx'
import { percent } from '../portal/money-terms.tsx'
import type { LobbyVisitor } from '../staff/frame.tsx'
import { textsIn } from '../../texts/catalogue.ts'

type Reader = Pick<LobbyVisitor, 'language' | 'locale'>

/** Each part of the terms in words, in the order of the form. */
const linesOf = (
  { texts, currency }: FeePlace,
  { locale }: Reader,
  terms: FeeTerms,
): readonly (readonly [name: string, value: string])[] => {
  const amount = (minor: number) => minorText(minor, currency, locale)
  const vat = (['transaction', 'permission', 'settlement'] as const).map((what) =>
    percent(vatRateOf(what, terms.taxcode, terms.vat), locale),
  )
  return [
    [texts.transactionRate, percent(terms.transactionRate, locale)],
    [texts.transactionFixed({ currency }), amount(terms.transactionFixed)],
    [texts.interchange, percent(terms.interchangeRate, locale)],
    [texts.permissionFixed({ currency }), amount(terms.permissionFixed)],
    [texts.settlementFixed({ currency }), amount(terms.settlementFixed)],
    [texts.taxcode, `${terms.taxcode} (${vat.join(', ')})`],
    [texts.refunds, terms.refundsReturnFees ? texts.refundsReturn : texts.refundsKeep],
  ]
}

const termsIn = ({ from: _, currency: __, ...terms }: FeePlan['schedule']): FeeTerms => terms

const plain = { language: 'en', locale: 'en' } as const

/** Whether anything would be another. */
const changesTerms = ({ schedule, before }: FeePlan, place: FeePlace): boolean =>
  !jsonEquals(linesOf(place, plain, before), linesOf(place, plain, termsIn(schedule)))

/** What holds before and from that day on; what changes stands out. */
const previewHtml = (place: FeePlace, visitor: Reader, plan: FeePlan, at: Instant): Html => {
  const { texts, timeZone } = place
  const { schedule, before, later } = plan
  const [next] = later
  const was = linesOf(place, visitor, before)
  const rows = linesOf(place, visitor, termsIn(schedule)).map(([name, value], index) => {
    const earlier = was[index]?.[1] ?? ''
    return [{ head: name }, earlier, earlier === value ? value : <b class="changed">{value}</b>]
  })
  const heads = [texts.what, texts.now, texts.then]
  return [
    <Table label={texts.what} kind="grid preview" heads={heads} rows={rows} />,
    changesTerms(plan, place) ? null : <p class="aside">{texts.none}</p>,
    schedule.from <= at && <p class="aside">{texts.past}</p>,
    next ? (
      <p class="aside">{texts.later({ day: dayText(dateIn(timeZone, next.from), visitor) })}</p>
    ) : null,
  ]
}

type OperatorFeeNeeds = MerchantPageNeeds & { readonly handle: Handle }

type FeeRequest = {
  readonly visitor: OperatorVisitor
  readonly data: MerchantData
  readonly place: FeePlace
}

const formPage = (
  { visitor, data, place }: FeeRequest,
  values: FeeValues,
  problems?: Problems,
): OperatorPage => {
  const { texts, currency } = place
  const title = texts.title({ merchant: data.businessName })
  const action = merchantPath(data.id, '/fees')
  return {
    title,
    status: problems ? 400 : 200,
    body: [
      merchantCrumbs(visitor, data),
      <Title text={title} />,
      <div class="narrow-card">
        <form class="card" method="get" action={action}>
          <label for="currency">{texts.currency}</label>
          <div class="find-text">
            <input id="currency" name="currency" value={currency} maxlength={3} />
            <button class="second">{texts.currencyShow}</button>
          </div>
          <p class="quiet small">{texts.currencyWhat({ currency: data.currency })}</p>
        </form>
        <Form
          class="card"
          action={action}
          hidden={{ csrf: visitor.csrf, step: 'preview', currency }}
        >
          {feeFieldsHtml(place, values, problems ?? {})}
          <Actions
            button={texts.change}
            back={merchantPath(data.id)}
            cancel={visitor.texts.cancel}
          />
        </Form>
      </div>,
    ],
  }
}

const previewPage = (
  { visitor, data, place }: FeeRequest,
  values: FeeValues,
  plan: FeePlan,
  call: Call,
  problem?: string,
): OperatorPage => {
  const { texts, currency, timeZone } = place
  const day = dayText(dateIn(timeZone, plan.schedule.from), visitor)
  const title = texts.preview({ day })
  const kept = <Hidden fields={{ csrf: visitor.csrf, currency, ...values }} />
  const action = merchantPath(data.id, '/fees')
  return {
    title,
    status: problem === undefined ? 200 : 400,
    body: [
      merchantCrumbs(visitor, data),
      <section class="card narrow-card">
        <h1>{title}</h1>
        <p class="quiet">{texts.previewWhat}</p>
        {previewHtml(place, visitor, plan, call.at)}
        <form method="post" action={action}>
          {kept}
          <Hidden fields={{ step: 'set', seen: String(plan.count) }} />
          {codeField(visitor.texts, problem)}
          <Actions button={texts.set} />
        </form>
        <form method="post" action={action}>
          {kept}
          <Hidden fields={{ step: 'back' }} />
          <button class="second">{texts.back}</button>
        </form>
      </section>,
    ],
  }
}

/** Sets the fees of a merchant after a preview of what will hold, with the second factor. */
export const operatorFeeRoutes = (needs: OperatorFeeNeeds, visits: Visits): Route[] => {
  const { page, form, confirm } = operatorPages(needs, visits)
  const place = {
    path: '/operator/merchants/:merchant/fees',
    params: merchantParams,
    action: 'set_fees' as const,
    area: 'merchants' as const,
  }
  const requestOf = async (
    visitor: OperatorVisitor,
    id: string,
    typed: string,
  ): Promise<FeeRequest> => {
    const { data } = await findMerchant(needs, id)
    const currency = currencyIn(typed, data.currency)
    const taxcodes = await taxcodesKnown(needs)
    const texts = textsIn[visitor.language].fees
    return { visitor, data, place: { texts, currency, taxcodes, timeZone: data.timeZone } }
  }
  return [
    page(
      {
        ...place,
        summary: 'The form for the fees of a merchant',
        ownQuery: z.object({ currency: z.string().optional() }),
      },
      async (visitor, call) => {
        const typed = searchOf(call).get('currency') ?? ''
        const request = await requestOf(visitor, call.params.merchant, typed)
        const { currency, timeZone } = request.place
        const schedules = await needs.find(feeSchedules, request.data.id, 'log')
        const tomorrow = call.at + dayMs
        const terms = termsInForce(schedules, currency, request.data.currency, tomorrow)
        return formPage(request, valuesOf(terms, currency, dateIn(timeZone, tomorrow)))
      },
    ),
    form(
      { ...place, summary: 'Preview fees, and set them', ownForm: feeForm, hasNextPage: true },
      async (visitor, call) => {
        const { merchant } = call.params
        const request = await requestOf(visitor, merchant, fieldOf(call.body, 'currency'))
        const values = valuesIn(call.body)
        const step = fieldOf(call.body, 'step')
        if (step === 'back') return formPage(request, values)
        const read = readFees(values, request.place)
        if ('problems' in read) return formPage(request, values, read.problems)
        const plan = await planFees(needs)(merchant, read.change)
        if (step !== 'set') return previewPage(request, values, plan, call)
        const problem = await codeProblem(confirm, visitor, call)
        if (problem !== undefined) return previewPage(request, values, plan, call, problem)
        const context = contextOfOperator(call, visitor, merchant)
        const seen = Number(fieldOf(call.body, 'seen') || Number.NaN)
        await setFees(needs)(merchant, plan.schedule, context, seen)
        return visits.go(visitor, merchantPath(merchant, '?fees'))
      },
    ),
  ]
}
