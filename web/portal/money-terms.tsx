import { Table, type Row, type Html, Title } from '../ui/components.tsx'
import {
  termsInForce,
  type FeeSchedule,
  type FeeSchedules,
  type FeeTerms,
} from '../../domain/accounting/fees.ts'
import { vatRateOf } from '../../domain/accounting/taxcodes.ts'
import { feeSchedules } from '../../domain/aggregates.ts'
import type { Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { numberFormat, minorText } from '../ui/money.tsx'
import type { MoneyNeeds } from './money-needs.ts'
import { crumbsHtml, dayText, taxcodeCountry } from './money-parts.tsx'
import type { PortalPage, PortalVisitor } from './page.tsx'
import { textsIn } from '../../texts/catalogue.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

export const percent = (rate: string, locale: string): string =>
  numberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }).format(Number(rate))

type Reader = Pick<PortalVisitor, 'language' | 'locale'>

type Charge = {
  readonly of: Parameters<typeof vatRateOf>[0]
  readonly name: string
  /** When it is charged. */
  readonly when: string
  readonly rate?: string
  readonly fixed?: number
}

type Terms = FeeTerms & Pick<FeeSchedule, 'currency'>

const chargesOf = (schedule: FeeTerms, texts: Catalogue['money']): readonly Charge[] => [
  {
    of: 'transaction',
    name: texts.transactionFee,
    when: texts.transactionFeeWhen,
    rate: schedule.transactionRate,
    fixed: schedule.transactionFixed,
  },
  {
    of: 'transaction',
    name: texts.interchangeFee,
    when: texts.interchangeFeeWhen,
    rate: schedule.interchangeRate,
  },
  {
    of: 'permission',
    name: texts.permissionFee,
    when: texts.permissionFeeWhen,
    fixed: schedule.permissionFixed,
  },
  {
    of: 'settlement',
    name: texts.settlementFee,
    when: texts.settlementFeeWhen,
    fixed: schedule.settlementFixed,
  },
]

const chargeHtml = (
  { currency, taxcode, vat }: Terms,
  { language, locale }: Reader,
  { of, name, when, rate = '0', fixed = 0 }: Charge,
): Row => {
  const texts = textsIn[language].money
  const parts = [
    ...(Number(rate) === 0 ? [] : [percent(rate, locale)]),
    ...(fixed === 0 ? [] : [minorText(fixed, currency, locale)]),
  ]
  const vatRate = vatRateOf(of, taxcode, vat)
  const tax =
    Number(vatRate) === 0 ? texts.vatNone : texts.vatPlus({ rate: percent(vatRate, locale) })
  return [
    {
      head: [name, <span class="value">{when}</span>],
    },
    {
      number: [
        parts.join(' + ') || minorText(0, currency, locale),
        <span class="value">{tax}</span>,
      ],
    },
  ]
}

type Schedule = { readonly title: Html; readonly charges: readonly Charge[] }

const scheduleHtml = (schedule: Terms, visitor: Reader, { title, charges }: Schedule): Html => {
  const { language, locale } = visitor
  const texts = textsIn[language].money
  const { taxcode, refundsReturnFees } = schedule
  return (
    <section class="card">
      <h2>{title}</h2>
      <div class="scroll" tabindex={0} role="group" aria-label={texts.fees}>
        <Table
          kind="grid terms"
          heads={[texts.description, { number: texts.fees }]}
          rows={charges.map((one) => chargeHtml(schedule, visitor, one))}
        />
      </div>
      <p class="quiet small">
        {texts.taxcodeWhat({ country: taxcodeCountry(taxcode, locale), code: taxcode })}{' '}
        {refundsReturnFees ? texts.refundsReturn : texts.refundsKeep}
      </p>
    </section>
  )
}

/** What payments in currencies without fees of their own cost: the rates of the shop's currency. */
const othersHtml = (schedules: FeeSchedules, own: string, visitor: Reader, at: Instant): Html => {
  const texts = textsIn[visitor.language].money
  const terms = termsInForce(schedules, '', own, at)
  const charges = chargesOf(terms, texts).filter(({ rate = '0' }) => Number(rate) !== 0)
  if (charges.length === 0) return <p class="card quiet">{texts.otherCurrenciesNone}</p>
  return scheduleHtml({ ...terms, currency: own }, visitor, {
    title: texts.otherCurrencies,
    charges,
  })
}

/** Fees through time, the newest first, by the clocks of the merchant. */
export const schedulesHtml = (
  schedules: FeeSchedules,
  { currency: own, timeZone }: { readonly currency: string; readonly timeZone: string },
  visitor: Reader,
  at: Instant,
): Html => {
  const texts = textsIn[visitor.language].money
  const newest = schedules.toReversed().toSorted((one, other) => other.from - one.from)
  const badgeOf = (one: FeeSchedule): Html => {
    if (one.from > at) return <span class="badge">{texts.later}</span>
    const isInForce = termsInForce(schedules, one.currency, own, at) === one
    return isInForce ? <span class="badge good">{texts.inForce}</span> : null
  }
  const fromOf = ({ from, currency }: FeeSchedule): string =>
    from === 0
      ? texts.currencyFromStart({ currency })
      : texts.currencyFrom({ currency, day: dayText(dateIn(timeZone, from), visitor) })
  return [
    newest.length === 0 && <p class="card quiet">{texts.noFees}</p>,
    <div class="columns">
      {newest.map((one) =>
        scheduleHtml(one, visitor, {
          title: [fromOf(one), ' ', badgeOf(one)],
          charges: chargesOf(one, texts),
        }),
      )}
      {newest.length > 0 && othersHtml(schedules, own, visitor, at)}
    </div>,
  ]
}

export const termsPage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  at: Instant,
): Promise<PortalPage> => {
  const { shop, language } = visitor
  const texts = textsIn[language].money
  const schedules = await needs.find(feeSchedules, shop.merchant, 'log')
  return {
    title: texts.feesAll,
    body: [
      crumbsHtml(visitor),
      <Title text={texts.feesAll} />,
      schedulesHtml(schedules, shop, visitor, at),
    ],
  }
}
