import type { OwnerWordsIn } from '../../application/notify-owners.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Language } from '../../texts/generated/texts.ts'

/** The language of a country in which messages are written while no page is open. */
const languageIn = (country: string | null): Language =>
  languages.find((one) => textsIn[one].language.locale.endsWith(`-${country}`)) ?? 'en'

export const ownerWords: OwnerWordsIn = (country) => {
  const own = textsIn[languageIn(country)].owners
  return {
    notice: (kind, place) => `${own[kind]} ${place}`,
    accountAsked: (shop, end) => own.accountAsked({ shop, end }),
    accountWithdrawn: (shop, end, why) => own.accountWithdrawn({ shop, end, reason: own[why] }),
    factorsChanged: (shop, name) => own.factorsChanged({ shop, name }),
    ownerChangeAsked: (shop) => own.ownerChangeAsked({ shop }),
    ownerChangeWithdrawn: (shop, why) => own.ownerChangeWithdrawn({ shop, reason: own[why] }),
  }
}
