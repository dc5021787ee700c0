import type { RefusalCode } from '../../../domain/refusal.ts'
import { textsIn } from '../../../texts/catalogue.ts'
import type { Language } from '../../../texts/generated/texts.ts'
import { translating } from '../../../texts/translated.ts'
import type { Texts } from '../../ui/texts.ts'

type OfPages<Name> = Name extends `refused_${infer Code}` ? Code : never

/** Why the domain refuses something; what pages say too stands among their texts. */
type RefusalTexts = Readonly<Record<Exclude<RefusalCode, OfPages<keyof Texts>>, string>>

/** What a request is told that is refused before anything is decided. */
const requestText = translating('refusedRequests')

/** A reason of the log of refusals; undefined where there is no better text. */
export const refusalText = (rule: string, language: Language): string | undefined => {
  const texts: RefusalTexts = textsIn[language].refusals
  return Object.hasOwn(texts, rule)
    ? texts[rule as keyof RefusalTexts]
    : requestText(rule, language)
}
