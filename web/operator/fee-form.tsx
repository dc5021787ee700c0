import type { Html } from '../ui/components.tsx'
import { z } from 'zod'
import type { FeeChange, taxcodesKnown } from '../../application/set-fees.ts'
import type { FeeTerms } from '../../domain/accounting/fees.ts'
import { isCurrency } from '../../domain/money/currency.ts'
import { formatAmount, ratePattern, type Rate } from '../../domain/money/money.ts'
import { dayMs, isDay } from '../../domain/time.ts'
import { startOf } from '../../domain/time-zone.ts'
import { fieldOf, type FormOf } from '../../http/forms.ts'
import { type Problems, hidden, plainForm, typed, Field, Choice } from '../ui/fields.tsx'
import { typedAmount } from '../ui/money.tsx'
import { withoutBlanks } from '../../domain/blanks.ts'
import type { Catalogue } from '../../texts/generated/texts.ts'

/** A decimal number with its point moved to the right by so many places. */
const shifted = (text: string, places: number): string => {
  const [units = '0', decimals = ''] = text.split('.')
  const whole = units.padStart(1 - Math.min(places, 0), '0')
  const digits = whole + decimals.padEnd(places, '0')
  const at = whole.length + places
  const moved = `${digits.slice(0, at)}.${digits.slice(at)}`
  return moved.replace(/^0+(?=\d)/, '').replace(/\.?0*$/, '') || '0'
}

/** `0.009` as the percent that people type: `0.9`. */
export const percentOf = (rate: Rate): string => shifted(rate, 2)

/** A typed percent as a rate; undefined for anything else. */
export const rateOfPercent = (typed: string): Rate | undefined => {
  const text = withoutBlanks(typed).replaceAll('%', '').replace(',', '.')
  if (!/^\d{1,3}(?:\.\d{1,10})?$/.test(text)) return undefined
  const rate = shifted(text, -2)
  return ratePattern.test(rate) ? rate : undefined
}

const steps = ['preview', 'back', 'set'] as const

const feeFields = {
  first_day: typed('The first day, `YYYY-MM-DD`, by the clocks of the merchant.', '2026-12-01'),
  transaction_rate: typed('Share of each capture, in percent.', '0.9'),
  transaction_fixed: typed('For each capture.', '1.50'),
  interchange_rate: typed('Share of each credit capture, in percent.', '0'),
  permission_fixed: typed('For each answered permission request.', '0'),
  settlement_fixed: typed('For each settlement.', '0'),
  taxcode: typed('One of the tax codes.', 'NO:2013'),
  refunds_return_fees: z.enum(['yes', 'no']),
}

type FeeField = keyof typeof feeFields

const feeNames = Object.keys(feeFields) as FeeField[]

export const feeForm = plainForm.extend({
  step: z.enum(steps).meta({ description: 'Hidden: shown first, then set.' }),
  currency: hidden('of payments and fixed parts.'),
  seen: hidden('how many fees were set before, when it was shown.').optional(),
  ...feeFields,
  code: typed('A one-time code, to set them.').optional(),
})

/** What stands in the form. */
export type FeeValues = Readonly<Record<FeeField, string>>

type Taxcodes = Awaited<ReturnType<typeof taxcodesKnown>>

/** Whose fees, in which currency, by which clocks. */
export type FeePlace = {
  readonly texts: Catalogue['fees']
  readonly currency: string
  readonly timeZone: string
  readonly taxcodes: Taxcodes
}

export const valuesOf = (terms: FeeTerms, currency: string, day: string): FeeValues => ({
  first_day: day,
  transaction_rate: percentOf(terms.transactionRate),
  transaction_fixed: formatAmount(terms.transactionFixed, currency),
  interchange_rate: percentOf(terms.interchangeRate),
  permission_fixed: formatAmount(terms.permissionFixed, currency),
  settlement_fixed: formatAmount(terms.settlementFixed, currency),
  taxcode: terms.taxcode,
  refunds_return_fees: terms.refundsReturnFees ? 'yes' : 'no',
})

export const valuesIn = (form: FormOf<typeof feeForm>): FeeValues =>
  Object.fromEntries(feeNames.map((name) => [name, fieldOf(form, name)])) as FeeValues

/** The first instant of a typed day. */
const startOfDay = (text: string, timeZone: string): number | undefined =>
  isDay(text) ? startOf(timeZone, Math.round(Date.parse(`${text}T00:00:00Z`) / dayMs)) : undefined

/** What was typed as fees, or what is wrong with it. */
export const readFees = (
  values: FeeValues,
  { texts, currency, timeZone, taxcodes }: FeePlace,
): { readonly change: FeeChange } | { readonly problems: Problems } => {
  const problems: Record<string, string> = {}
  const rate = (name: 'transaction_rate' | 'interchange_rate'): string => {
    const read = rateOfPercent(values[name])
    if (read === undefined) problems[name] = texts.wrongRate
    return read ?? '0'
  }
  const fixed = (name: `${'transaction' | 'permission' | 'settlement'}_fixed`): number => {
    const read = typedAmount(values[name], currency)
    const isAmount = read !== undefined && read >= 0
    if (!isAmount) problems[name] = texts.wrongAmount({ currency })
    return isAmount ? read : 0
  }
  const from = startOfDay(values.first_day, timeZone)
  const tax = taxcodes.find(({ taxcode }) => taxcode === values.taxcode)
  const terms = {
    transactionRate: rate('transaction_rate'),
    transactionFixed: fixed('transaction_fixed'),
    interchangeRate: rate('interchange_rate'),
    permissionFixed: fixed('permission_fixed'),
    settlementFixed: fixed('settlement_fixed'),
    ...(tax && { taxcode: tax.taxcode, vat: tax.vat }),
    refundsReturnFees: values.refunds_return_fees === 'yes',
  }
  if (from === undefined) problems['first_day'] = texts.wrongDay
  if (!tax) problems['taxcode'] = texts.wrongTaxcode
  return from === undefined || Object.keys(problems).length > 0
    ? { problems }
    : { change: { from, currency, terms } }
}

/** A currency as it was asked for; that of the merchant for anything else. */
export const currencyIn = (text: string, own: string): string => {
  const currency = text.trim().toUpperCase()
  return isCurrency(currency) ? currency : own
}

export const feeFieldsHtml = (
  { texts, currency, timeZone, taxcodes }: FeePlace,
  values: FeeValues,
  problems: Problems,
): Html => {
  const number = (name: FeeField, label: string): Html => (
    <div>
      <Field
        name={name}
        label={label}
        problem={problems[name]}
        inputmode="decimal"
        autocomplete="off"
        maxlength={20}
        value={values[name]}
      />
    </div>
  )
  return [
    <Field
      name="first_day"
      label={texts.from}
      problem={problems['first_day']}
      hint={texts.fromHint({ timeZone })}
      type="date"
      value={values.first_day}
      required
    />,
    <div class="find-more">
      {number('transaction_rate', texts.transactionRate)}
      {number('transaction_fixed', texts.transactionFixed({ currency }))}
      {number('interchange_rate', texts.interchange)}
      {number('permission_fixed', texts.permissionFixed({ currency }))}
      {number('settlement_fixed', texts.settlementFixed({ currency }))}
    </div>,
    <Choice
      name="taxcode"
      label={texts.taxcode}
      value={values.taxcode}
      of={taxcodes.map(({ taxcode }) => [taxcode, taxcode])}
    />,
    <Choice
      name="refunds_return_fees"
      label={texts.refunds}
      value={values.refunds_return_fees}
      of={[
        ['no', texts.refundsKeep],
        ['yes', texts.refundsReturn],
      ]}
    />,
  ]
}
