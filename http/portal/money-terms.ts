import { html } from 'hono/html'
import { termsInForce, type FeeSchedule, type FeeSchedules } from '../../domain/accounting/fees.ts'
import { vatRateOf } from '../../domain/accounting/taxcodes.ts'
import { feeSchedules } from '../../domain/aggregates.ts'
import type { Instant } from '../../domain/time.ts'
import { dateIn } from '../../domain/time-zone.ts'
import { numberFormat } from '../payer/formats.ts'
import { shownAmount } from '../payer/money.ts'
import type { Html } from '../payer/page.ts'
import type { MoneyNeeds } from './money-needs.ts'
import { crumbsHtml, dayText } from './money-parts.ts'
import type { PortalPage, PortalVisitor } from './page.ts'
import { moneyTexts } from './texts-money.ts'

export const percent = (rate: string, locale: string): string =>
  numberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }).format(Number(rate))

type Reader = Pick<PortalVisitor, 'language' | 'locale'>

type Charge = { readonly name: string; readonly rate?: string; readonly fixed?: number }

export const scheduleHtml = (
  schedule: FeeSchedule,
  visitor: Reader,
  from: string,
  badge: Html | '',
): Html => {
  const { language, locale } = visitor
  const texts = moneyTexts[language]
  const { currency, taxcode, vat } = schedule
  const amount = (minor: number) => shownAmount(minor, currency, locale)
  const line = ({ name, rate = '0', fixed = 0 }: Charge, of: Parameters<typeof vatRateOf>[0]) => {
    const parts = [
      ...(Number(rate) === 0 ? [] : [percent(rate, locale)]),
      ...(fixed === 0 ? [] : [amount(fixed)]),
    ]
    return html`<tr>
      <th scope="row">${name}</th>
      <td class="number">${parts.join(' + ') || amount(0)}</td>
      <td class="number">${percent(vatRateOf(of, taxcode, vat), locale)}</td>
    </tr>`
  }
  return html`<section class="card">
    <h2>${from} ${badge}</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="${texts.fees}">
      <table class="grid terms">
        <thead>
          <tr>
            <th scope="col">${texts.description}</th>
            <th scope="col" class="number">${texts.fees}</th>
            <th scope="col" class="number">${texts.vat}</th>
          </tr>
        </thead>
        <tbody>
          ${line(
            {
              name: texts.transactionFee,
              rate: schedule.transactionRate,
              fixed: schedule.transactionFixed,
            },
            'transaction',
          )}
          ${line(
            {
              name: `${texts.fee_interchange}, ${texts.credit}`,
              rate: schedule.interchangeRate,
            },
            'transaction',
          )}
          ${line({ name: texts.permissionFee, fixed: schedule.permissionFixed }, 'permission')}
          ${line({ name: texts.settlementFee, fixed: schedule.settlementFixed }, 'settlement')}
        </tbody>
      </table>
    </div>
    <p class="quiet small">
      ${currency} · ${taxcode} ·
      ${schedule.refundsReturnFees ? texts.refundsReturn : texts.refundsKeep}
    </p>
  </section>`
}

/** Fees through time, the newest first, by the clocks of the merchant. */
export const schedulesHtml = (
  schedules: FeeSchedules,
  { currency: own, timeZone }: { readonly currency: string; readonly timeZone: string },
  visitor: Reader,
  at: Instant,
): Html => {
  const texts = moneyTexts[visitor.language]
  const newest = schedules.toReversed().toSorted((one, other) => other.from - one.from)
  const badgeOf = (one: FeeSchedule): Html | '' => {
    if (one.from > at) return html`<span class="badge">${texts.later}</span>`
    const isInForce = termsInForce(schedules, one.currency, own, at) === one
    return isInForce ? html`<span class="badge good">${texts.inForce}</span>` : ''
  }
  const fromOf = ({ from, currency }: FeeSchedule): string =>
    from === 0 ? currency : `${texts.from} ${dayText(dateIn(timeZone, from), visitor)}`
  return html`${newest.length === 0 ? html`<p class="card quiet">${texts.noFees}</p>` : ''}
    <div class="columns">
      ${newest.map((one) => scheduleHtml(one, visitor, fromOf(one), badgeOf(one)))}
    </div>`
}

export const termsPage = async (
  needs: MoneyNeeds,
  visitor: PortalVisitor,
  at: Instant,
): Promise<PortalPage> => {
  const { shop, language } = visitor
  const texts = moneyTexts[language]
  const schedules = await needs.find(feeSchedules, shop.merchant, 'log')
  return {
    title: texts.feesAll,
    body: html`${crumbsHtml(visitor)}
      <div class="head"><h1>${texts.feesAll}</h1></div>
      ${schedulesHtml(schedules, shop, visitor, at)}`,
  }
}
