import type { Call } from '../../http/call.ts'
import { likedLanguages } from '../../http/negotiation.ts'
import { languages, textsIn } from '../../texts/catalogue.ts'
import type { Catalogue, Language } from '../../texts/generated/texts.ts'

/** Everything that payers read. */
export type Texts = Catalogue['payer']

const byTag = new Map(
  languages.flatMap((one) => textsIn[one].language.tags.split(' ').map((tag) => [tag, one])),
)

const canonical = (tag: string): string | undefined => {
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

/** Language, script and region: Intl takes quadratic time for the rest of a long tag. */
const englishTag = /^en(-[a-z]{4})?(-([a-z]{2}|\d{3}))?(?=-|$)/

/**
 * The best liked language of an Accept-Language header that we speak, else English; and the locale
 * for amounts and times, such as `en-GB`.
 */
export const languageOf = (
  header: string | undefined,
): { readonly language: Language; readonly locale: string } => {
  for (const tag of likedLanguages(header)) {
    const language = byTag.get(/^[a-z]+(?=-|$)/.exec(tag)?.[0] ?? '')
    if (language === undefined) continue
    const [english] = englishTag.exec(tag) ?? []
    const locale = english === undefined ? undefined : canonical(english)
    return { language, locale: locale ?? textsIn[language].language.locale }
  }
  return { language: 'en', locale: 'en' }
}

/** In the language that a request prefers. */
export const textsFor = ({ request }: Call): Texts =>
  textsIn[languageOf(request.header('accept-language')).language].payer
