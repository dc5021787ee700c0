import type { OwnerWordsIn, NoticeContent } from '../../application/notify-owners.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'
import { dateFormat, minorText } from '../ui/money.tsx'

/** The language of a country in which messages are written to whoever has chosen none. */
const languageIn = (country: string | null): Language =>
  languages.find((one) => textsIn[one].language.locale.endsWith(`-${country}`)) ?? 'en'

const daySum = (language: Language, { shop, day, sums }: NoticeContent): string => {
  const { locale } = textsIn[language].language
  const list = new Intl.ListFormat(locale)
  const sumsOf = (of: 'captured' | 'refunded', all = sums) =>
    list.format(all.map((sum) => minorText(sum[of], sum.currency, locale)))
  const refunded = sums.filter((sum) => sum.refunded !== 0)
  return textsIn[language].owners.daily_sum({
    shop,
    amounts: sumsOf('captured'),
    count: sums.reduce((count, { payments }) => count + payments, 0),
    day: dateFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day)),
    refunds: refunded.length === 0 ? 'none' : sumsOf('refunded', refunded),
  })
}

const noticeText = (language: Language, content: NoticeContent): string => {
  const own = textsIn[language].owners
  const { what, shop, money, device } = content
  const { locale } = textsIn[language].language
  const amount = money ? minorText(money.amount, money.currency, locale) : 'none'
  switch (what) {
    case 'payout_sent':
    case 'big_refund':
      return own[what]({ shop, amount })
    case 'daily_sum':
      return daySum(language, content)
    case 'sign_in':
      return own.sign_in({ device: device ?? 'none' })
    default:
      return own[what]({ shop })
  }
}

export const ownerWords: OwnerWordsIn = (country, chosen) => {
  const language = languages.find((one) => one === chosen) ?? languageIn(country)
  const own = textsIn[language].owners
  return {
    notice: (content) => noticeText(language, content),
    accountChangeRequested: (shop, end) => own.accountAsked({ shop, end }),
    accountWithdrawn: (shop, end, why) => own.accountWithdrawn({ shop, end, reason: own[why] }),
    factorsChanged: (shop, name) => own.factorsChanged({ shop, name }),
    ownerChangeRequested: (shop) => own.ownerChangeAsked({ shop }),
    ownerChangeWithdrawn: (shop, why) => own.ownerChangeWithdrawn({ shop, reason: own[why] }),
  }
}
