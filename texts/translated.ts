import { textsIn } from './catalogue.ts'
import { sources, type Language } from './generated/texts.ts'
import { filledText, type Text } from './message.ts'

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The text `of {name}` as the expression `of (?<name>.+)`. */
const patternOf = (source: string): RegExp => {
  const pieces = source.split(/\{(\w+)\}/)
  const pattern = pieces.map((one, at) => (at % 2 === 0 ? escaped(one) : `(?<${one}>.+)`))
  return new RegExp(`^${pattern.join('')}$`)
}

/**
 * A text of an area that was written in English, such as a line of a log, in another language;
 * undefined for a text that is none of them.
 */
export const translating = (area: 'callbackProblems' | 'refusedRequests') => {
  const patterns = Object.entries(sources.en[area]).map(
    ([key, source]) => [key, patternOf(source)] as const,
  )
  return (english: string, language: Language): string | undefined => {
    const texts: Readonly<Record<string, Text<string>>> = textsIn[language][area]
    for (const [key, pattern] of patterns) {
      const found = pattern.exec(english)
      const text = found && texts[key]
      if (text) return filledText(text, found.groups ?? {})
    }
    return undefined
  }
}
