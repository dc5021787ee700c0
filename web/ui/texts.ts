import type { Seconds } from '../../domain/time.ts'
import type { Call } from '../../http/call.ts'
import { ownCookie } from '../../http/own-cookie.ts'
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

/** Browsers keep no cookie for much longer. */
export const yearOfCookies: Seconds = 31_536_000

/** Keeps the language that somebody has chosen. */
export const languageCookie = (isSecure: boolean) =>
  ownCookie({ isSecure, sameSite: 'Lax' }, 'language', new RegExp(`^(?:${languages.join('|')})$`))

/**
 * The chosen language, else the best liked of an Accept-Language header that we speak, else
 * English; and the locale for amounts and times, such as `en-GB`.
 */
export const languageOf = (
  header: string | undefined,
  chosen?: Language,
): { readonly language: Language; readonly locale: string } => {
  for (const tag of likedLanguages(header)) {
    const language = byTag.get(/^[a-z]+(?=-|$)/.exec(tag)?.[0] ?? '')
    if (language === undefined || language !== (chosen ?? language)) continue
    const [english] = englishTag.exec(tag) ?? []
    const locale = english === undefined ? undefined : canonical(english)
    return { language, locale: locale ?? textsIn[language].language.locale }
  }
  const language = chosen ?? 'en'
  return { language, locale: textsIn[language].language.locale }
}

type Headers = { readonly header: (name: string) => string | undefined }

/** The language that the browser keeps, if somebody has chosen one there. */
export const keptLanguage = ({ header }: Headers): Language | undefined =>
  [true, false]
    .map((isSecure) => languageCookie(isSecure).find(header('cookie')))
    .find((one) => one !== undefined) as Language | undefined

/**
 * The language of whoever sends these headers; `asked` stands for what the browser likes, `own` is
 * that of the account.
 */
export const readersLanguage = (
  request: Headers,
  accepted = request.header('accept-language'),
  own: Language | undefined = undefined,
) => languageOf(accepted, own ?? keptLanguage(request))

/** In the language that a request prefers. */
export const textsFor = ({ request }: Call): Texts =>
  textsIn[readersLanguage(request).language].payer
