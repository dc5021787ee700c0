import { plainForms, type StoryForms, type StoryTexts } from '../../audit/explain/story-forms.ts'
import { formatAmount } from '../../domain/money/money.ts'
import type { TimeZone } from '../../domain/time-zone.ts'
import { textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'
import { problemText } from '../portal/problem-texts.ts'
import { dateFormat, moneyFormat, numberFormat, plainAmounts, withMinus } from './money.tsx'

/** Who reads a story: with a locale on a page, without one as JSON, which is like a command's. */
export type StoryReader = { readonly language: Language; readonly locale: string | undefined }

/** An amount such as `12.50` in the reader's format; one of JSON stays. */
export const decimalText = (text: string, locale: string | undefined): string => {
  if (locale === undefined) return withMinus(text)
  const decimals = text.split('.')[1]?.length ?? 0
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return numberFormat(locale, digits).format(text as `${number}`)
}

/** The same with the currency's code: `kr` is of several countries. */
export const codedMoney = (text: string, currency: string, locale: string | undefined): string =>
  locale === undefined
    ? `${withMinus(text)} ${currency}`
    : moneyFormat(locale, currency, { currencyDisplay: 'code' }).format(text as `${number}`)

/** A moment to the second: what auditors compare. */
export const secondText = (at: number, locale: string, timeZone: TimeZone): string =>
  dateFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(at)

const formsOf = (language: Language, locale: string, timeZone: TimeZone): StoryForms => ({
  time: (at) => secondText(at, locale, timeZone),
  day: (day) =>
    dateFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day)),
  amount: (minor, currency) => plainAmounts(locale, currency)(minor),
  sum: (currency, ...minor) =>
    minor.map((one) => codedMoney(formatAmount(one, currency), currency, locale)).join(' + '),
  problem: (problem) => problemText(problem, language),
})

/** The texts of stories for a reader, with times in the zone of the shop. */
export const storyTexts = ({ language, locale }: StoryReader, timeZone: TimeZone): StoryTexts => ({
  ...textsIn[language].story,
  as: locale === undefined ? plainForms : formsOf(language, locale, timeZone),
})
