import { sources, type Catalogue, type Language } from './generated/texts.ts'
import { messageOf } from './message.ts'

type Area = Readonly<Record<string, string>>

const areaOf = (language: Language, area: Area) =>
  Object.fromEntries(
    Object.entries(area).map(([key, text]) => [
      key,
      text.includes('{') ? messageOf(text, language) : text,
    ]),
  )

/** Makes an area when it is first used: a command uses few of them. */
const catalogueOf = (language: Language): Catalogue => {
  const catalogue = {}
  const areas: Readonly<Record<string, Area>> = sources[language]
  for (const [name, area] of Object.entries(areas)) {
    const get = (): object => {
      const value = areaOf(language, area)
      Object.defineProperty(catalogue, name, { value })
      return value
    }
    Object.defineProperty(catalogue, name, { get, configurable: true, enumerable: true })
  }
  return catalogue as Catalogue
}

export const languages = Object.keys(sources) as readonly Language[]

/** All texts that people read, by language and area. */
export const textsIn = Object.fromEntries(
  languages.map((language) => [language, catalogueOf(language)]),
) as Readonly<Record<Language, Catalogue>>
